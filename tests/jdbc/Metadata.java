import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.Statement;
import java.sql.Types;

/** What the driver says about results before and after they run, and about the catalog. */
final class Metadata {
    private final Checks checks;
    private final Server server;

    Metadata(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    void run() {
        checks.section("result set metadata", this::columns);
        checks.section("expression metadata", this::expressions);
        checks.section("tables of the catalog", this::tables);
        checks.section("DatabaseMetaData of a schema", () -> new Schema(checks, server).run());
    }

    private void columns() throws Exception {
        // Column type, JDBC type, precision, scale: as the driver reports it from type and encoded length.
        Object[][] cases = {
            {"smallint", Types.SMALLINT, 5, 0}, {"integer", Types.INTEGER, 10, 0}, {"int8", Types.BIGINT, 19, 0},
            {"bigint", Types.BIGINT, 19, 0}, {"smallfloat", 7, 7, 0}, {"float", Types.DOUBLE, 15, 0},
            {"decimal(16)", Types.DECIMAL, 16, 255}, {"decimal(5,2)", Types.DECIMAL, 5, 2},
            {"money(16,2)", Types.DECIMAL, 16, 2}, {"date", Types.DATE, 10, 0},
            {"datetime year to second", Types.TIMESTAMP, 19, 0},
            {"datetime year to fraction(3)", Types.TIMESTAMP, 23, 3},
            {"datetime hour to minute", Types.TIME, 5, 0},
            {"char(20)", Types.CHAR, 20, 0}, {"varchar(20)", Types.VARCHAR, 20, 0},
            {"nchar(20)", Types.CHAR, 20, 0}, {"nvarchar(20)", Types.VARCHAR, 20, 0},
            {"lvarchar(3000)", Types.LONGVARCHAR, 3000, 0}, {"boolean", Types.BOOLEAN, 0, 0},
        };
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            StringBuilder create = new StringBuilder("create temp table md (");
            for (int i = 0; i < cases.length; i++) {
                create.append(i == 0 ? "" : ", ").append("Col_").append(i).append(' ').append(cases[i][0])
                        .append(i % 2 == 0 ? " not null" : "");
            }
            s.executeUpdate(create.append(") with no log").toString());
            try (ResultSet r = s.executeQuery("select * from md")) {
                ResultSetMetaData m = r.getMetaData();
                checks.equal("columns", cases.length, m.getColumnCount());
                for (int i = 0; i < cases.length; i++) {
                    String what = (String) cases[i][0];
                    checks.equal(what + " name", "col_" + i, m.getColumnName(i + 1));
                    checks.equal(what + " type", cases[i][1], m.getColumnType(i + 1));
                    checks.equal(what + " precision", cases[i][2], m.getPrecision(i + 1));
                    checks.equal(what + " scale", cases[i][3], m.getScale(i + 1));
                    checks.equal(what + " nullable", i % 2 == 0 ? ResultSetMetaData.columnNoNulls
                            : ResultSetMetaData.columnNullable, m.isNullable(i + 1));
                }
                checks.that("no rows", !r.next());
            }
        }
    }

    private void expressions() throws Exception {
        Object[][] cases = {
            {"1", "(constant)", Types.INTEGER}, {"'abc'", "(constant)", Types.CHAR},
            {"count(*)", "(count(*))", Types.DECIMAL}, {"max(tabid)", "(max)", Types.INTEGER},
            {"sum(tabid) as total", "total", null}, {"tabid + 1", "(expression)", null},
            {"tabid named", "named", Types.INTEGER}, {"upper(tabname)", "(expression)", null},
        };
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            for (Object[] one : cases) {
                try (ResultSet r = s.executeQuery("select " + one[0] + " from systables"
                        + (one[0].toString().contains("(") && !one[0].toString().startsWith("upper") ? "" :
                            " where tabid = 1"))) {
                    ResultSetMetaData m = r.getMetaData();
                    checks.equal(one[0] + " name", one[1], m.getColumnName(1));
                    if (one[2] != null) {
                        checks.equal(one[0] + " type", one[2], m.getColumnType(1));
                    }
                    checks.that(one[0] + " has a row", r.next());
                } catch (Exception e) {
                    checks.fail(one[0] + ": " + e);
                }
            }
        }
    }

    private void tables() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create table judge_md (id serial primary key, name varchar(30) not null, pay money(8,2))");
            try {
                DatabaseMetaData m = c.getMetaData();
                try (ResultSet r = m.getTables("testdb", null, "judge_md", new String[] {"TABLE"})) {
                    checks.that("getTables", r.next());
                    checks.equal("name", "judge_md", r.getString("TABLE_NAME").trim());
                    checks.equal("kind", "TABLE", r.getString("TABLE_TYPE").trim());
                }
                try (ResultSet r = m.getCatalogs()) {
                    boolean found = false;
                    while (r.next()) {
                        found |= r.getString(1).trim().equals("testdb");
                    }
                    checks.that("getCatalogs has testdb", found);
                }
                checks.equal("columns in the catalog", 3, Connecting.one(c,
                        "select count(*) from syscolumns c, systables t where c.tabid = t.tabid"
                                + " and t.tabname = 'judge_md'"));
                checks.equal("type of the serial", 262, Connecting.one(c,
                        "select coltype from syscolumns c, systables t where c.tabid = t.tabid"
                                + " and t.tabname = 'judge_md' and colno = 1"));
            } finally {
                s.executeUpdate("drop table judge_md");
            }
        }
    }
}
