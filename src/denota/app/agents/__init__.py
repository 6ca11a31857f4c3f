"""What an assistant meets: tables that it may open, questions, SQL that only reads, lessons."""
