-- people of anna.k@example.com
CREATE TABLE people (id int, name text, pesel bigint, mail text);
INSERT INTO people VALUES (7, 'Siobhán O''Brien', 44051401359, 'jan.novak@example.cz');
COPY people (id, name, mail) FROM stdin;
8	Anna Kellermann	anna.k@example.com
\.
