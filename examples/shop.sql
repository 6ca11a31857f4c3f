-- examples/shop.sqlite, made by: sqlite3 examples/shop.sqlite < examples/shop.sql
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, since DATE);
INSERT INTO customers VALUES
    (1, 'Ada Berg', 'Oslo', '2019-01-02'),
    (2, 'Ben Dahl', 'Bergen', '2020-03-04'),
    (3, 'Cleo Foss', 'Oslo', '2021-05-06'),
    (4, 'Dag Holm', 'Moss', '2022-07-08');
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, customer_id INTEGER, product TEXT, amount REAL, placed DATE, paid BOOLEAN
);
INSERT INTO orders VALUES
    (1, 1, 'Lamp', 20.5, '2024-01-11', TRUE),
    (2, 1, 'Chair', 80, '2024-02-03', TRUE),
    (3, 2, 'Lamp', 21, '2024-03-15', FALSE),
    (4, 3, 'Desk', 240, '2024-03-20', TRUE),
    (5, 4, 'Chair', 79.5, '2024-04-01', FALSE),
    (6, 3, 'Shelf', 65, '2024-05-17', TRUE);
