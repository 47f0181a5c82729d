import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * What a 14.10.FC7W1DE server told a later version of the driver (4.50.JC12) about a schema: SchemaCrawler's record
 * (testInformixWithConnection.txt). The tables here have the columns and constraints of its tables that matter.
 */
final class Record {
    private final Checks checks;
    private final Server server;

    Record(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    private static final String[] SCHEMA = {
        "create table coupons (id integer not null, data text, primary key (id) constraint pk_coupons)",
        "create distinct type label as varchar(100)",
        "create table customers (id integer not null, first label not null, last label not null,"
                + " primary key (id) constraint pk_customers)",
        "create sequence numbers",
        "create table authors (id integer not null, first varchar(20) not null, last varchar(20) not null,"
                + " city varchar(50), state char(2), country varchar(50) default 'USA',"
                + " primary key (id) constraint pk_authors, check (state = upper(state)) constraint upper_state)",
        "create table books (id integer not null, title varchar(255) not null, publisher integer not null, price float,"
                + " previous integer, primary key (id) constraint pk_books,"
                + " foreign key (previous) references books (id) constraint fk_previous,"
                + " unique (previous) constraint u_previous)",
        "create table bookauthors (book integer not null, author integer not null,"
                + " foreign key (book) references books (id),"
                + " foreign key (author) references authors (id) constraint z_fk_author)",
        "create table publishers (id serial primary key, publisher varchar(255))",
        "create view authorslist as select id, first, last from authors",
        "create unique index uidx_bookauthors on bookauthors (book, author)",
        "create index idx_b_authors on authors (last, first)",
        "create synonym publications for books",
    };

    void run() throws Exception {
        // Numbers count from the first table of a database.
        String url = "jdbc:informix-sqli://" + server.host + ":" + server.port + ":INFORMIXSERVER=informix";
        try (Connection c = java.sql.DriverManager.getConnection(url, "informix", "in4mix");
                Statement s = c.createStatement()) {
            s.executeUpdate("create database judge_record with log");
            s.executeUpdate("close database");
        }
        try (Connection c = server.connect("judge_record", ""); Statement s = c.createStatement()) {
            for (String sql : SCHEMA) {
                s.executeUpdate(sql);
            }
            DatabaseMetaData m = c.getMetaData();
            checks.section("record: tables", () -> tables(m));
            checks.section("record: columns", () -> columns(m));
            checks.section("record: keys", () -> keys(m));
            checks.section("record: indexes", () -> indexes(m));
            checks.section("record: privileges", () -> privileges(m));
            checks.section("record: the server", () -> server(c, m));
        }
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("drop database judge_record");
        }
    }

    private static List<String> rows(ResultSet result, String... names) throws SQLException {
        try (ResultSet r = result) {
            List<String> rows = new ArrayList<>();
            while (r.next()) {
                List<String> row = new ArrayList<>();
                for (String name : names) {
                    String value = r.getString(name);
                    row.add(value == null ? "null" : value.trim());
                }
                rows.add(String.join("|", row));
            }
            return rows;
        }
    }

    private void tables(DatabaseMetaData m) throws Exception {
        checks.equal("views, two of the catalog among them", List.of("authorslist", "sysdomains", "sysindexes"),
                rows(m.getTables(null, null, "%", new String[] {"VIEW"}), "TABLE_NAME"));
        checks.equal("tables", List.of("authors", "bookauthors", "books", "coupons", "customers", "publishers"),
                rows(m.getTables(null, null, "%", new String[] {"TABLE"}), "TABLE_NAME"));
        checks.equal("kinds of tables", "[SYNONYM, SYSTEM TABLE, TABLE, VIEW]",
                new TreeSet<>(rows(m.getTableTypes(), "TABLE_TYPE")).toString());
    }

    private void columns(DatabaseMetaData m) throws Exception {
        String[] names = {"COLUMN_NAME", "TYPE_NAME", "COLUMN_SIZE", "DECIMAL_DIGITS", "IS_NULLABLE", "IS_AUTOINCREMENT"};
        checks.equal("columns of a view", List.of("id|integer|10|0|NO|NO", "first|varchar|20|0|NO|NO", "last|varchar|20|0|NO|NO"),
                rows(m.getColumns(null, null, "authorslist", "%"), names));
        checks.equal("float", List.of("price|float|17|0|YES|NO"), rows(m.getColumns(null, null, "books", "price"), names));
        checks.equal("serial", List.of("id|serial|10|0|NO|YES"), rows(m.getColumns(null, null, "publishers", "id"), names));
        checks.equal("a default", List.of("'USA'"), rows(m.getColumns(null, null, "authors", "country"), "COLUMN_DEF"));
        List<String> indexes = new ArrayList<>(List.of("idxname|varchar|128", "owner|char|32", "tabid|integer|10",
                "idxtype|char|1", "clustered|char|1"));
        for (int part = 1; part <= 16; part++) {
            indexes.add("part" + part + "|smallint|5");
        }
        indexes.addAll(List.of("levels|smallint|5", "leaves|float|17", "nunique|float|17", "clust|float|17"));
        checks.equal("sysindexes", indexes,
                rows(m.getColumns(null, null, "sysindexes", "%"), "COLUMN_NAME", "TYPE_NAME", "COLUMN_SIZE"));
        checks.equal("sysdomains", List.of("id|serial|10", "owner|char|32", "name|varchar|128", "type|smallint|5"),
                rows(m.getColumns(null, null, "sysdomains", "%"), "COLUMN_NAME", "TYPE_NAME", "COLUMN_SIZE"));
    }

    private void keys(DatabaseMetaData m) throws Exception {
        checks.equal("a named key", List.of("id|pk_authors"), rows(m.getPrimaryKeys(null, null, "authors"), "COLUMN_NAME", "PK_NAME"));
        checks.equal("one without a name", List.of("id|u106_22"),
                rows(m.getPrimaryKeys(null, null, "publishers"), "COLUMN_NAME", "PK_NAME"));
        String restrict = String.valueOf(DatabaseMetaData.importedKeyRestrict);
        checks.equal("foreign keys", "[authors|id|author|z_fk_author|" + restrict + ", books|id|book|r105_18|" + restrict + "]",
                new TreeSet<>(rows(m.getImportedKeys(null, null, "bookauthors"), "PKTABLE_NAME", "PKCOLUMN_NAME",
                        "FKCOLUMN_NAME", "FK_NAME", "DELETE_RULE")).toString());
        checks.equal("a key of the table itself", List.of("books|previous|fk_previous"),
                rows(m.getImportedKeys(null, null, "books"), "PKTABLE_NAME", "FKCOLUMN_NAME", "FK_NAME"));
    }

    private void indexes(DatabaseMetaData m) throws Exception {
        String[][] cases = {
            {"coupons", "[0|100_1|id]"}, {"customers", "[0|101_3|id]"},
            {"authors", "[0|103_7|id, 1|idx_b_authors|first, 1|idx_b_authors|last]"},
            {"books", "[0|104_12|id, 0|104_13|previous]"},
            {"bookauthors", "[0|uidx_bookauthors|author, 0|uidx_bookauthors|book, 1|105_18|book, 1|105_19|author]"},
            {"publishers", "[0|106_22|id]"},
        };
        for (String[] one : cases) {
            checks.equal(one[0], one[1], new TreeSet<>(rows(m.getIndexInfo(null, null, one[0], false, true), "NON_UNIQUE",
                    "INDEX_NAME", "COLUMN_NAME")).toString());
        }
    }

    private void privileges(DatabaseMetaData m) throws Exception {
        checks.equal("a table", "[public|NO]",
                new TreeSet<>(rows(m.getTablePrivileges(null, null, "authors"), "GRANTEE", "IS_GRANTABLE")).toString());
        checks.equal("a view", "[informix|YES]",
                new TreeSet<>(rows(m.getTablePrivileges(null, null, "authorslist"), "GRANTEE", "IS_GRANTABLE")).toString());
        checks.equal("a view of the catalog", "[informix|YES, public|NO]",
                new TreeSet<>(rows(m.getTablePrivileges(null, null, "sysindexes"), "GRANTEE", "IS_GRANTABLE")).toString());
    }

    private void server(Connection c, DatabaseMetaData m) throws Exception {
        checks.that("version " + m.getDatabaseProductVersion(), m.getDatabaseProductVersion().startsWith("14.10.FC7W1"));
        checks.equal("version numbers", "14.10", m.getDatabaseMajorVersion() + "." + m.getDatabaseMinorVersion());
        checks.equal("isolation", Connection.TRANSACTION_READ_COMMITTED, m.getDefaultTransactionIsolation());
        checks.equal("holdability", ResultSet.CLOSE_CURSORS_AT_COMMIT, m.getResultSetHoldability());
        checks.equal("quotes", " ", m.getIdentifierQuoteString());
        checks.that("transactions", m.supportsTransactions() && m.supportsDataDefinitionAndDataManipulationTransactions());
        checks.that("savepoints, batches, keys", m.supportsSavepoints() && m.supportsBatchUpdates()
                && m.supportsGetGeneratedKeys());
        checks.that("names", m.storesLowerCaseIdentifiers() && !m.storesMixedCaseIdentifiers());
        checks.that("NULL is low", m.nullsAreSortedLow() && m.nullPlusNonNullIsNull());
        checks.equal("longest names", "128 128 128 32", m.getMaxTableNameLength() + " " + m.getMaxColumnNameLength() + " "
                + m.getMaxCatalogNameLength() + " " + m.getMaxUserNameLength());
        checks.equal("sizes", "32767 32767 16", m.getMaxRowSize() + " " + m.getMaxColumnsInTable() + " "
                + m.getMaxColumnsInIndex());
        checks.equal("types", "[bigint, bigserial, blob, boolean, byte, char, character varying, clob, date,"
                + " datetime year to fraction(5), decimal, double precision, float, int8, integer, interval, lvarchar, money,"
                + " nchar, numeric, nvarchar, serial, serial8, smallfloat, smallint, text, varchar]",
                new TreeSet<>(rows(m.getTypeInfo(), "TYPE_NAME")).toString());
        try (Connection d = server.connect("judge_record", "DELIMIDENT=y")) {
            checks.equal("quotes with DELIMIDENT", "\"", d.getMetaData().getIdentifierQuoteString());
        }
        checks.equal("catalog", "judge_record", c.getCatalog());
    }
}
