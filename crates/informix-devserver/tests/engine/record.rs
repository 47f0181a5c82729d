//! What a 14.10.FC7W1DE server made of a schema: SchemaCrawler's record of it through JDBC (`public-traces.md` 11), as names and
//! numbers. The tables here have the constraints of its tables, in their order.

use crate::support::{Run, testdb};

const SCHEMA: [&str; 12] = [
    "CREATE TABLE coupons (id INTEGER NOT NULL, data TEXT, PRIMARY KEY (id) CONSTRAINT pk_coupons)",
    "CREATE DISTINCT TYPE label AS VARCHAR(100)",
    "CREATE TABLE customers (id INTEGER NOT NULL, first label NOT NULL, last label NOT NULL,
       PRIMARY KEY (id) CONSTRAINT pk_customers)",
    "CREATE SEQUENCE numbers",
    "CREATE TABLE authors (id INTEGER NOT NULL, first VARCHAR(20) NOT NULL, last VARCHAR(20) NOT NULL, city VARCHAR(50),
       state CHAR(2), PRIMARY KEY (id) CONSTRAINT pk_authors, CHECK (state = UPPER(state)) CONSTRAINT upper_state)",
    "CREATE TABLE books (id INTEGER NOT NULL, title VARCHAR(255) NOT NULL, publisher INTEGER NOT NULL, price FLOAT,
       previous INTEGER, PRIMARY KEY (id) CONSTRAINT pk_books,
       FOREIGN KEY (previous) REFERENCES books (id) CONSTRAINT fk_previous, UNIQUE (previous) CONSTRAINT u_previous)",
    "CREATE TABLE bookauthors (book INTEGER NOT NULL, author INTEGER NOT NULL, FOREIGN KEY (book) REFERENCES books (id),
       FOREIGN KEY (author) REFERENCES authors (id) CONSTRAINT z_fk_author)",
    "CREATE TABLE publishers (id SERIAL PRIMARY KEY, publisher VARCHAR(255))",
    "CREATE VIEW authorslist AS SELECT id, first, last FROM authors",
    "CREATE UNIQUE INDEX uidx_bookauthors ON bookauthors (book, author)",
    "CREATE INDEX idx_b_authors ON authors (last, first)",
    "CREATE INDEX idx_a_authors ON authors (city ASC, state DESC)",
];

#[test]
fn names_and_numbers_are_those_of_a_real_server() {
    let mut s = testdb();
    for statement in SCHEMA {
        s.run(statement);
    }
    // Keys are numbered first, then foreign keys; NOT NULL last. The sequence has the number 102.
    assert_eq!(
        s.texts(
            "SELECT constrid || ' ' || constrname FROM sysconstraints WHERE constrtype IN ('P', 'U', 'R')
               AND constrid NOT IN (SELECT constrid FROM sysconstraints WHERE constrname = 'fk_previous') ORDER BY constrid"
        ),
        [
            "1 pk_coupons",
            "3 pk_customers",
            "7 pk_authors",
            "12 pk_books",
            "13 u_previous",
            "18 r105_18",
            "19 z_fk_author",
            "22 u106_22",
        ]
    );
    // A foreign key on the columns of a unique constraint has no index of its own.
    assert_eq!(
        s.texts("SELECT TRIM(LEADING FROM idxname) || ' ' || idxtype FROM sysindexes WHERE tabid >= 100 ORDER BY tabid, idxname"),
        [
            "100_1 U",
            "101_3 U",
            "103_7 U",
            "idx_a_authors D",
            "idx_b_authors D",
            "104_12 U",
            "104_13 U",
            "105_18 D",
            "105_19 D",
            "uidx_bookauthors U",
            "106_22 U",
        ]
    );
    assert_eq!(
        s.texts(
            "SELECT DISTINCT idxname FROM sysconstraints WHERE constrname IN ('fk_previous', 'u_previous')"
        ),
        [" 104_13"]
    );
    // Views: two of the catalog, and privileges that their owners may grant.
    assert_eq!(
        s.texts("SELECT tabname FROM systables WHERE tabtype = 'V' ORDER BY tabname"),
        ["authorslist", "sysdomains", "sysindexes"]
    );
    assert_eq!(
        s.texts(
            "SELECT TRIM(tabname) || ' ' || TRIM(grantor) || ' ' || TRIM(grantee) || ' ' || tabauth[1] FROM systabauth a, systables t
              WHERE a.tabid = t.tabid AND tabtype = 'V' ORDER BY 1"
        ),
        [
            "authorslist informix informix S",
            "sysdomains informix informix S",
            "sysdomains informix public s",
            "sysindexes informix informix S",
            "sysindexes informix public s",
        ]
    );
    assert_eq!(
        s.texts("SELECT colname FROM syscolumns c, systables t WHERE c.tabid = t.tabid AND tabname = 'authorslist' AND coltype >= 256"),
        ["id", "first", "last"],
        "a view's columns refuse NULL as their table's do"
    );
}

#[test]
fn a_shared_index_stays_with_who_needs_it() {
    let mut s = testdb();
    s.run("CREATE TABLE p (a INT PRIMARY KEY)");
    s.run("CREATE TABLE c (a INT, b INT, UNIQUE (a) CONSTRAINT ua, FOREIGN KEY (a) REFERENCES p (a) CONSTRAINT ra)");
    s.run("INSERT INTO p VALUES (1)");
    s.run("INSERT INTO c VALUES (1, 1)");
    assert_eq!(s.fails("INSERT INTO c VALUES (1, 2)").token, "informix.ua");
    s.run("ALTER TABLE c DROP CONSTRAINT ua");
    s.run("INSERT INTO c VALUES (1, 2)");
    assert_eq!(s.fails("INSERT INTO c VALUES (2, 2)").token, "informix.ra");
    assert_eq!(s.texts("SELECT idxtype FROM sysindexes WHERE tabid = 101"), ["D"]);
    s.run("ALTER TABLE c DROP CONSTRAINT ra");
    assert_eq!(
        s.texts("SELECT idxname FROM sysindexes WHERE tabid = 101"),
        [""; 0]
    );

    // An index of the user is shared too, and outlives the constraint. One that allows duplicates serves no key.
    s.run("CREATE UNIQUE INDEX ub ON c (b)");
    s.run("CREATE INDEX ia ON c (a)");
    s.run("ALTER TABLE c ADD CONSTRAINT UNIQUE (b) CONSTRAINT kb");
    s.run("ALTER TABLE c ADD CONSTRAINT FOREIGN KEY (a) REFERENCES p (a) CONSTRAINT ra");
    assert_eq!(
        s.texts("SELECT idxname FROM sysconstraints WHERE constrname IN ('kb', 'ra') ORDER BY constrid"),
        ["ub", "ia"]
    );
    assert_eq!(s.fails("INSERT INTO c VALUES (1, 2)").token, "informix.kb");
    assert_eq!(s.fails("DROP INDEX ub").sqlcode, -320);
    s.run("ALTER TABLE c DROP CONSTRAINT kb");
    s.run("ALTER TABLE c DROP CONSTRAINT ra");
    assert_eq!(
        s.texts("SELECT idxname FROM sysindexes WHERE tabid = 101 ORDER BY 1"),
        ["ia", "ub"]
    );
}
