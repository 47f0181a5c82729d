import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** Statements that must fail: with which code, and the connection usable after it. */
final class Errors {
    private final Checks checks;
    private final Server server;

    Errors(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    void run() {
        checks.section("errors", this::statements);
        checks.section("errors of constraints", this::constraints);
        checks.section("errors of values", this::values);
        checks.section("texts of errors", this::texts);
    }

    private void statements() throws Exception {
        Object[][] cases = {
            {"selec 1", -201}, {"select from systables", -201}, {"select * from systables where", -201},
            {"select 'open from systables", -282}, {"select * from nosuch", -206},
            {"select nosuch from systables", -217}, {"insert into nosuch values (1)", -206},
            {"update nosuch set a = 1", -206}, {"delete from nosuch", -206}, {"drop table nosuch", -206},
            {"create table systables (a integer)", -310}, {"select nosuchfunction(1) from systables", -674},
            {"create temp table x (a nosuchtype)", -201}, {"select ? from systables", -201},
        };
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            for (Object[] one : cases) {
                String sql = (String) one[0];
                try {
                    s.execute(sql);
                    checks.fail(sql + " must fail");
                } catch (SQLException e) {
                    // An unknown type name has two numbers in the field.
                    boolean type = sql.contains("nosuchtype") && e.getErrorCode() == -9628;
                    checks.that(sql + ": expected " + one[1] + ", got " + e.getErrorCode(),
                            type || e.getErrorCode() == (Integer) one[1]);
                }
                checks.equal("usable after " + sql, 5, Connecting.one(c, "select 5 from systables where tabid = 1"));
            }
            checks.fails("prepared", -206, () -> c.prepareStatement("select * from nosuch where a = ?").executeQuery());
            checks.equal("usable", 5, Connecting.one(c, "select 5 from systables where tabid = 1"));
        }
    }

    private void constraints() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create table judge_p (a integer primary key, b integer not null, d integer,"
                    + " check (d > 0), unique (b))");
            s.executeUpdate("create table judge_c (a integer references judge_p (a))");
            s.executeUpdate("create unique index judge_ix on judge_c (a)");
            try {
                s.executeUpdate("insert into judge_p values (1, 1, 1)");
                s.executeUpdate("insert into judge_c values (1)");
                checks.fails("primary key", -268, () -> s.executeUpdate("insert into judge_p values (1, 2, 1)"));
                checks.fails("unique", -268, () -> s.executeUpdate("insert into judge_p values (2, 1, 1)"));
                checks.fails("not null", -391, () -> s.executeUpdate("insert into judge_p values (3, null, 1)"));
                checks.fails("check", -530, () -> s.executeUpdate("insert into judge_p values (4, 4, -1)"));
                checks.fails("no parent", -691, () -> s.executeUpdate("insert into judge_c values (9)"));
                checks.fails("child left", -692, () -> s.executeUpdate("delete from judge_p where a = 1"));
                checks.fails("unique index", -239, () -> s.executeUpdate("insert into judge_c values (1)"));
                checks.fails("too few values", -236, () -> s.executeUpdate("insert into judge_p values (1)"));
                try (PreparedStatement p = c.prepareStatement("insert into judge_p values (?, ?, ?)")) {
                    for (int i = 1; i <= 3; i++) {
                        p.setInt(i, 1);
                    }
                    checks.fails("prepared duplicate", -268, p::executeUpdate);
                    p.setInt(1, 5);
                    p.setInt(2, 5);
                    checks.equal("the statement works after it", 1, p.executeUpdate());
                }
                checks.equal("rows", 2, Connecting.one(c, "select count(*) from judge_p"));
            } finally {
                s.executeUpdate("drop table judge_c");
                s.executeUpdate("drop table judge_p");
            }
        }
    }

    private void values() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table vals (i integer, s smallint, d decimal(5,2), t date,"
                    + " m datetime year to second, v varchar(4)) with no log");
            checks.fails("not a number", -1213, () -> s.executeUpdate("insert into vals (i) values ('x')"));
            checks.fails("division by zero", -1202, () -> s.executeQuery("select 1/0 from systables").next());
            checks.fails("too large for smallint", -1214,
                    () -> s.executeUpdate("insert into vals (s) values (40000)"));
            checks.fails("too large for integer", -1215,
                    () -> s.executeUpdate("insert into vals (i) values (3000000000)"));
            checks.fails("too large for decimal", -1226,
                    () -> s.executeUpdate("insert into vals (d) values (1000.00)"));
            checks.equal("a long text is cut", 1, s.executeUpdate("insert into vals (v) values ('too long')"));
            checks.equal("to the column's length", "too", Connecting.text(c, "select v from vals where v is not null"));
            checks.equal("usable", 5, Connecting.one(c, "select 5 from systables where tabid = 1"));
        }
    }

    /** The driver writes the text from the code and our token. */
    private void texts() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            checks.failsWith("table", "(nosuch)", () -> s.executeQuery("select * from nosuch"));
            checks.failsWith("column", "(nosuch)", () -> s.executeQuery("select nosuch from systables"));
            s.executeUpdate("create temp table nn (a integer, must integer not null) with no log");
            checks.failsWith("not null", "must", () -> s.executeUpdate("insert into nn values (1, null)"));
        }
    }
}
