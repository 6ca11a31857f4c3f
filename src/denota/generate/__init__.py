"""Questions from tables: conversations with their programs and answers, drawn from a seed."""

from denota.generate.conversation import Conversation, Turn, generate

__all__ = ["Conversation", "Turn", "generate"]
