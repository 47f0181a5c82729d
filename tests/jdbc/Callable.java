import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/** Stored routines and triggers as applications use them: CallableStatement, rows of routines, messages of their errors. */
final class Callable {
    private final Checks checks;
    private final Server server;

    Callable(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    void run() {
        checks.section("callable statements", this::calls);
        checks.section("values of functions by the escape", this::values);
        checks.section("OUT and INOUT parameters", this::outputs);
        checks.section("rows of routines", this::rows);
        checks.section("errors of routines", this::errors);
        checks.section("functions in queries", this::functions);
        checks.section("triggers", this::triggers);
        checks.section("routines in the metadata", this::metadata);
    }

    private void calls() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create table called (a integer, b varchar(20))");
            s.executeUpdate("create procedure p_none(n integer, t varchar(20));"
                    + " insert into called values (n, t); end procedure");
            s.executeUpdate("create function f_add(a integer, b integer) returning integer;"
                    + " return a + b; end function");
            try (CallableStatement call = c.prepareCall("{call p_none(?, ?)}")) {
                for (int i = 1; i <= 3; i++) {
                    call.setInt(1, i);
                    call.setString(2, "call " + i);
                    checks.that("no rows", !call.execute());
                }
            }
            checks.equal("rows written", 3, Connecting.one(c, "select count(*) from called"));
            for (String text : new String[] {"{call f_add(?, ?)}", "execute function f_add(?, ?)", "call f_add(?, ?)"}) {
                try (CallableStatement call = c.prepareCall(text)) {
                    call.setInt(1, 40);
                    call.setInt(2, 2);
                    checks.equal(text, "[42]", list(call.executeQuery()));
                    call.setInt(2, 3);
                    checks.equal(text + " again", "[43]", list(call.executeQuery()));
                }
            }
            c.setAutoCommit(false);
            try (CallableStatement call = c.prepareCall("{call p_none(9, 'gone')}")) {
                call.executeUpdate();
            }
            c.rollback();
            c.setAutoCommit(true);
            checks.equal("rolled back", 3, Connecting.one(c, "select count(*) from called"));
            s.executeUpdate("drop procedure p_none");
            s.executeUpdate("drop function f_add");
            s.executeUpdate("drop table called");
        }
    }

    /** The driver counts the arguments only, and gives the value as a row. */
    private void values() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create function f_value(a integer, t varchar(20)) returning varchar(30);"
                    + " return t || a; end function");
            try (CallableStatement call = c.prepareCall("{? = call f_value(?, ?)}")) {
                checks.fails("a third argument", -79749, () -> call.setInt(3, 1));
                checks.fails("no OUT parameter", -79827, () -> call.registerOutParameter(1, Types.VARCHAR));
                for (int i = 1; i <= 2; i++) {
                    call.setInt(1, i);
                    call.setString(2, "value ");
                    checks.equal("call " + i, "[value " + i + "]", list(call.executeQuery()));
                }
                call.setInt(1, 3);
                call.setNull(2, Types.VARCHAR);
                try (ResultSet r = call.executeQuery()) {
                    checks.that("a row", r.next());
                    checks.equal("NULL", null, r.getString(1));
                }
            }
            s.executeUpdate("drop function f_value");
        }
    }

    private void outputs() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create procedure p_outs(n integer, out o integer, inout t varchar(40), out d decimal(8,2),"
                    + " out day date, out none integer) let o = n + 1; let t = t || n; let d = n / 4;"
                    + " let day = mdy(2, n, 2024); end procedure");
            s.executeUpdate("create function f_outs(n integer, out o integer) returning integer, varchar(10);"
                    + " if n < 0 then raise exception -746, 0, 'negative'; end if; let o = n * 2;"
                    + " return n, 'row'; end function");
            try (CallableStatement call = c.prepareCall("{call p_outs(?, ?, ?, ?, ?, ?)}")) {
                for (int n = 1; n <= 2; n++) {
                    call.setInt(1, n);
                    call.registerOutParameter(2, Types.INTEGER);
                    call.setString(3, "text ");
                    call.registerOutParameter(3, Types.VARCHAR);
                    call.registerOutParameter(4, Types.DECIMAL);
                    call.registerOutParameter(5, Types.DATE);
                    call.registerOutParameter(6, Types.INTEGER);
                    checks.that("no rows", !call.execute());
                    checks.equal("integer", n + 1, call.getInt(2));
                    checks.equal("in and out", "text " + n, call.getString(3));
                    checks.equal("decimal", n == 1 ? "0.25" : "0.50", call.getBigDecimal(4).setScale(2).toString());
                    checks.equal("date", "2024-02-0" + n, call.getDate(5).toString());
                    checks.equal("NULL", null, call.getObject(6));
                }
            }
            try (CallableStatement call = c.prepareCall("{call f_outs(?, ?)}")) {
                call.setInt(1, 21);
                call.registerOutParameter(2, Types.INTEGER);
                try (ResultSet r = call.executeQuery()) {
                    checks.that("a row", r.next());
                    checks.equal("returned", 21, r.getInt(1));
                    checks.equal("returned too", "row", r.getString(2).trim());
                    checks.that("one row", !r.next());
                }
                checks.equal("out beside the row", 42, call.getInt(2));
                call.setInt(1, -1);
                checks.fails("an error of the routine", -746, call::execute);
            }
            checks.equal("the connection goes on", 1, Connecting.one(c, "select count(*) from systables where tabid = 1"));
            s.executeUpdate("drop procedure p_outs");
            s.executeUpdate("drop function f_outs");
        }
    }

    private void rows() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create procedure p_rows(n integer) returning integer as i, varchar(20) as t,"
                    + " decimal(8,2) as d, date as day; define i integer; for i = 1 to n"
                    + " return i, 'row ' || i, i / 4, mdy(1, i, 2024) with resume; end for; end procedure");
            try (CallableStatement call = c.prepareCall("{call p_rows(?)}")) {
                call.setInt(1, 2);
                checks.that("has rows", call.execute());
                try (ResultSet r = call.getResultSet()) {
                    checks.equal("columns", 4, r.getMetaData().getColumnCount());
                    checks.equal("label", "t", r.getMetaData().getColumnLabel(2));
                    checks.that("first", r.next());
                    checks.equal("by name", "row 1", r.getString("t"));
                    checks.equal("decimal", "0.25", r.getBigDecimal("d").toString());
                    checks.equal("date", "2024-01-01", r.getDate("day").toString());
                    checks.that("second", r.next());
                    checks.that("no third", !r.next());
                }
                call.setInt(1, 25);
                checks.equal("many", 25, count(call.executeQuery()));
            }
            s.executeUpdate("drop procedure p_rows");
        }
    }

    private void errors() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create procedure p_raise(t varchar(60)); raise exception -746, 0, t; end procedure");
            try {
                s.executeUpdate("execute procedure p_raise('not | today')");
                checks.fail("RAISE EXCEPTION must come through");
            } catch (SQLException e) {
                checks.equal("code", -746, e.getErrorCode());
                checks.that("text in " + e.getMessage(), e.getMessage().contains("not | today"));
            }
            checks.fails("unknown", -674, () -> s.executeUpdate("execute procedure p_nowhere(1)"));
            checks.fails("twice", -673, () -> s.executeUpdate("create procedure p_raise(t varchar(60)); end procedure"));
            s.executeUpdate("drop procedure p_raise");
            checks.fails("dropped", -674, () -> s.executeUpdate("drop procedure p_raise"));
        }
    }

    private void functions() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create function f_sq(n integer) returning integer; return n * n; end function");
            checks.equal("select list and where", "[1, 4]", list(s.executeQuery(
                    "select f_sq(tabid) from systables where f_sq(tabid) < 9 order by 1")));
            s.executeUpdate("drop function f_sq");
        }
    }

    private void triggers() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create table watched (id serial, a integer)");
            s.executeUpdate("create table seen (k serial, t varchar(40))");
            s.executeUpdate("create trigger tr_i insert on watched referencing new as n for each row"
                    + " (insert into seen values (0, 'new ' || n.a))");
            s.executeUpdate("create trigger tr_u update of a on watched referencing old as o new as n"
                    + " for each row when (o.a <> n.a) (insert into seen values (0, o.a || '>' || n.a))");
            s.executeUpdate("insert into watched values (0, 7)", Statement.RETURN_GENERATED_KEYS);
            try (ResultSet keys = s.getGeneratedKeys()) {
                checks.that("a key", keys.next());
                checks.equal("key of its own table", 1, keys.getInt(1));
            }
            checks.equal("updated", 1, s.executeUpdate("update watched set a = 8"));
            checks.equal("unchanged", 1, s.executeUpdate("update watched set a = 8"));
            checks.equal("seen", "[new 7, 7>8]", list(s.executeQuery("select t from seen order by k")));
            s.executeUpdate("drop trigger tr_u");
            s.executeUpdate("drop table watched");
            s.executeUpdate("drop table seen");
        }
    }

    private void metadata() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create function f_meta(a integer, b varchar(20)) returning decimal(8,2); return 1; end function");
            try (ResultSet r = c.getMetaData().getProcedures(null, null, "f_meta")) {
                checks.that("getProcedures", r.next());
                checks.equal("its name", "f_meta", r.getString("PROCEDURE_NAME").trim());
            }
            s.executeUpdate("drop function f_meta");
        }
    }

    private static String list(ResultSet rows) throws SQLException {
        List<String> values = new ArrayList<>();
        try (rows) {
            while (rows.next()) {
                values.add(rows.getString(1).trim());
            }
        }
        return values.toString();
    }

    private static int count(ResultSet rows) throws SQLException {
        int n = 0;
        try (rows) {
            while (rows.next()) {
                n++;
            }
        }
        return n;
    }
}
