"""What the bundled tables are about, and a question that each can be asked."""

from __future__ import annotations

from typing import Final

ABOUT: Final[dict[str, tuple[str, str]]] = {
    "airports": ("passengers, runways and elevation", "which airport has the longest runway?"),
    "apples": ("origin, taste and keeping time", "which variety has the longest keeping time?"),
    "auction-lots": ("estimates, prices and buyers", "which object has the highest hammer price?"),
    "bakeries": ("specialities, prices and ratings", "which bakery has the highest rating?"),
    "bicycles": ("makers, weights and prices", "which model has the lowest weight?"),
    "board-games": ("designers, players and copies sold", "which game has the most copies sold?"),
    "book-prizes": (
        "winners, books and publishers",
        "which books have the publisher Harbour Press?",
    ),
    "bridges": ("rivers, lengths and tolls", "which bridge has the most lanes?"),
    "castles": (
        "builders, condition and visitors",
        "which castle has the most annual visitors?",
    ),
    "cheese-awards": ("milk, age and medals", "which cheeses have the medal gold?"),
    "chess-tournament": ("ratings, wins and points", "which player has the highest rating?"),
    "comets": ("discoverers, periods and returns", "which comet has the longest period?"),
    "concerts": ("venues, conductors and takings", "what are the takings in total?"),
    "cyclists": ("teams, birth dates and wins", "which cyclist has the most stage wins?"),
    "dams": ("rivers, heights and power", "which dam has the highest power?"),
    "dog-show": ("breeds, handlers and points", "which dog has the most points?"),
    "elections": ("parties, districts and votes", "which candidate has the most votes?"),
    "films": ("directors, budgets and awards", "which film has the most awards?"),
    "football-seasons": ("divisions, goals and attendance", "which season has the most wins?"),
    "garden-birds": ("counts by year and food", "which bird has the highest seen in 2020?"),
    "hotel-rooms": ("beds, views and prices", "which room has the highest price per night?"),
    "lakes": ("regions, areas and depths", "which lake has the largest area?"),
    "libraries": ("towns, books and members", "which library has the most books?"),
    "lighthouses": ("heights, ranges and keepers", "which lighthouse has the largest height?"),
    "marathon-results": ("runners, nations and times", "which runners have the nation Norrhavn?"),
    "matches": ("opponents, scores and attendance", "which opponents were in the competition Cup?"),
    "medal-table": ("gold, silver and bronze by nation", "which nation has the most gold?"),
    "mountains": ("ranges, heights and first ascents", "which mountain has the largest height?"),
    "museums": ("cities, visitors and fees", "which museum has the most visitors in 2022?"),
    "plants": ("families, heights and colours", "which plants have the colour white?"),
    "plays": ("playwrights, theatres and runs", "which play has the most performances?"),
    "podcast-episodes": ("guests, lengths and listeners", "which episode has the most listeners?"),
    "radio-stations": ("formats, owners and power", "which owner has the most stations?"),
    "recipes": ("courses, minutes and calories", "which dish has the most calories?"),
    "regatta": ("crews, clubs and times", "which crew has rank 1?"),
    "satellites": ("operators, orbits and costs", "which satellite has the highest mass?"),
    "schools": ("towns, pupils and teachers", "which school has the most pupils?"),
    "ships": ("builders, lengths and fates", "which ship has the largest crew?"),
    "software-releases": ("dates, downloads and bugs", "which version has the most downloads?"),
    "stamps": ("issues, designers and colours", "which issues have the colour violet?"),
    "swimming-records": ("swimmers, times and meets", "which swimmer has the highest age?"),
    "town-budget": ("departments and three years", "which department has the most staff?"),
    "trails": ("lengths, ascents and grades", "which trail has the largest ascent?"),
    "trains": ("routes, fares and stops", "which train has the most stops?"),
    "tram-lines": ("routes, stops and riders", "which line has the most daily riders?"),
    "volcanoes": ("islands, types and alerts", "which volcano has the highest elevation?"),
    "weather": ("heat, rain and sunshine by month", "which month has the most rainy days?"),
    "wind-farms": ("counties, turbines and capacity", "which wind farm has the most turbines?"),
}
"""By the table's name: what its columns tell, and a question."""
FIRST: Final = ("castles", "elections", "weather", "recipes")
"""Those that are named first."""
EXAMPLE: Final = "castles"
"""The table that the first page shows."""
CONVERSATIONS: Final = (
    ("which castles have the condition intact?", "of those, which has the most annual visitors?"),
    ("how many castles have the condition ruin?",),
)
"""What is asked of it there."""
