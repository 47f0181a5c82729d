import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.Charset;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Text that is not ASCII, in databases of several code sets, with every way to tell the driver which one. */
final class CodeSets {
    private final Checks checks;
    private final Server server;

    CodeSets(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    /** A database's locale, the Java name of its code set, a text and the name of a column. */
    private record Case(String locale, String charset, String text, String column) {
        String options(String client) {
            return "DB_LOCALE=" + locale + ";CLIENT_LOCALE=" + client;
        }
    }

    private static final Case[] CASES = {
        new Case("en_US.8859-1", "ISO-8859-1", "\u00e9 \u00fc \u00f1 \u00df \u00ff \u00a9", "gr\u00f6\u00dfe"),
        new Case("pl_PL.8859-2", "ISO-8859-2", "\u0105 \u0119 \u0142 \u017c \u0151 \u010d", "\u017c\u00f3\u0142\u0107"),
        new Case("ru_RU.8859-5", "ISO-8859-5", "\u041f\u0440\u0438\u0432\u0435\u0442", "\u0438\u043c\u044f"),
        new Case("el_GR.8859-7", "ISO-8859-7", "\u03b1\u03b2\u03b3 \u03a9", "\u03b1\u03b2\u03b3"),
        new Case("en_US.8859-15", "ISO-8859-15", "\u20ac \u0152 \u00e9", "\u0153uvre"),
        new Case("en_US.CP1252", "windows-1252", "\u20ac \u201cx\u201d \u2122 \u0153 \u00e9", "\u0153uvre"),
        new Case("ru_RU.CP1251", "windows-1251", "\u041f\u0440\u0438\u0432\u0435\u0442 \u2116 \u201c", "\u0438\u043c\u044f"),
        new Case("en_US.utf8", "UTF-8", "\u00e9 \u0142 \u65e5\u672c \ud83d\ude00 \u20ac", "gr\u00f6\u00dfe"),
    };

    void run() {
        for (int i = 0; i < CASES.length; i++) {
            Case one = CASES[i];
            String database = "codeset" + i;
            checks.section("code set of " + one.locale, () -> everywhere(one, database));
        }
        checks.section("NEWCODESET and NEWLOCALE", this::named);
    }

    private Connection without(String options) throws SQLException {
        String url = "jdbc:informix-sqli://" + server.host + ":" + server.port + ":INFORMIXSERVER=informix;" + options;
        return DriverManager.getConnection(url, "informix", "in4mix");
    }

    private void everywhere(Case one, String database) throws Exception {
        try (Connection c = without(one.options(one.locale)); Statement s = c.createStatement()) {
            s.execute("create database " + database + " with log");
        }
        // The driver follows the database, whatever the client's locale is.
        String[] options = {
            one.options(one.locale), one.options("en_US.utf8"), "DB_LOCALE=" + one.locale,
            "CLIENT_LOCALE=" + one.locale, "CLIENT_LOCALE=en_US.utf8",
        };
        for (String option : options) {
            try (Connection c = server.connect(database, option + ";DELIMIDENT=y"); Statement s = c.createStatement()) {
                s.executeUpdate("create temp table words (k integer, a char(40), b varchar(60), c nchar(40),"
                        + " d nvarchar(60), e lvarchar(300), f text, g clob, \"" + one.column + "\" integer) with no log");
                write(c, one);
                read(s, one, option + " ");
                find(c, one, option + " ");
            } catch (SQLException e) {
                checks.fail(option + ": " + e.getErrorCode() + " " + e);
            }
        }
        try (Connection c = without(one.options(one.locale)); Statement s = c.createStatement()) {
            s.executeUpdate("drop database " + database);
        }
    }

    /** Row 1 by the text of the statement, row 2 by parameters. */
    private static void write(Connection c, Case one) throws SQLException {
        String literal = "'" + one.text + "'";
        try (Statement s = c.createStatement()) {
            s.executeUpdate("insert into words (k, a, b, c, d, e, \"" + one.column + "\") values (1, "
                    + String.join(", ", literal, literal, literal, literal, literal) + ", 7)");
        }
        try (PreparedStatement p = c.prepareStatement("insert into words values (2, ?, ?, ?, ?, ?, ?, ?, 7)")) {
            for (int i = 1; i <= 6; i++) {
                p.setString(i, one.text);
            }
            p.setCharacterStream(7, new StringReader(one.text), one.text.length());
            p.executeUpdate();
        }
    }

    private void read(Statement s, Case one, String what) throws Exception {
        try (ResultSet r = s.executeQuery("select * from words order by k")) {
            for (int row = 1; row <= 2; row++) {
                checks.that(what + "row " + row, r.next());
                for (int column = 2; column <= (row == 1 ? 6 : 7); column++) {
                    checks.equal(what + row + " column " + column, one.text,
                            r.getString(column).replaceFirst(" +$", ""));
                }
                checks.equal(what + "column by name", 7, r.getInt(one.column));
            }
            // The driver reads a CLOB by the virtual machine's default; the bytes are the database's.
            try (InputStream in = r.getBinaryStream(8)) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                in.transferTo(bytes);
                checks.equal(what + "clob", one.text, bytes.toString(Charset.forName(one.charset)));
            }
            checks.equal(what + "name", one.column, r.getMetaData().getColumnName(9));
        }
        try (ResultSet r = s.executeQuery("select '" + one.text + "', upper('x') from systables where tabid = 1")) {
            checks.that(what + "constant", r.next());
            checks.equal(what + "constant", one.text, r.getString(1));
            checks.equal(what + "its length", one.text.getBytes(Charset.forName(one.charset)).length,
                    r.getMetaData().getPrecision(1));
        }
    }

    private void find(Connection c, Case one, String what) throws SQLException {
        try (PreparedStatement p = c.prepareStatement("select count(*) from words where a = ? and b = ? and d = ? and e = ?"
                + " and \"" + one.column + "\" = 7")) {
            for (int i = 1; i <= 4; i++) {
                p.setString(i, one.text);
            }
            try (ResultSet r = p.executeQuery()) {
                checks.that(what + "found", r.next());
                checks.equal(what + "found", 2, r.getInt(1));
            }
        }
    }

    /** The properties that name a code set or locale which the driver does not know by itself. */
    private void named() throws Exception {
        String text = "\u0105 \u0119 \u0142";
        String locale = "DB_LOCALE=pl_PL.8859-2;CLIENT_LOCALE=pl_PL.8859-2;";
        try (Connection c = without(locale); Statement s = c.createStatement()) {
            s.execute("create database codeset_named with log");
            s.executeUpdate("create table words (w nvarchar(40))");
            s.executeUpdate("insert into words values ('" + text + "')");
        }
        for (String option : new String[] {
            locale + "NEWCODESET=ISO8859_2,8859-2,912",
            "DB_LOCALE=pl_PL.912;CLIENT_LOCALE=pl_PL.912;NEWCODESET=ISO8859_2,8859-2,912",
            locale + "NEWLOCALE=pl_pl,pl_pl;NEWCODESET=ISO8859_2,8859-2,912",
        }) {
            try (Connection c = server.connect("codeset_named", option); Statement s = c.createStatement();
                    ResultSet r = s.executeQuery("select w from words where w = '" + text + "'")) {
                checks.that(option, r.next());
                checks.equal(option, text, r.getString(1));
            } catch (SQLException e) {
                checks.fail(option + ": " + e.getErrorCode() + " " + e);
            }
        }
        try (Connection c = without(locale); Statement s = c.createStatement()) {
            s.executeUpdate("drop database codeset_named");
        }
    }
}
