import com.informix.lang.IntervalDF;
import com.informix.lang.IntervalYM;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;

/** Every scalar type, NULL and the extremes, both ways, by typed setter, by text and by literal. */
final class Types {
    /** One column type with the values that must survive. */
    private static final class Shape {
        final String type;
        final Object[] values;
        /** How a literal of this type is written; null when only a quoted text is. */
        String literal;

        Shape(String type, Object... values) {
            this.type = type;
            this.values = values;
        }

        Shape literal(String form) {
            literal = form;
            return this;
        }
    }

    private final Checks checks;
    private final Server server;

    Types(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    void run() {
        for (Shape shape : shapes()) {
            checks.section(shape.type, () -> roundTrip(shape));
        }
        checks.section("all types in one row", this::oneRow);
        checks.section("latin text", this::latinText);
        checks.section("unicode text", this::unicodeText);
    }

    private static BigDecimal dec(String text) {
        return new BigDecimal(text);
    }

    private static List<Shape> shapes() {
        List<Shape> all = new ArrayList<>();
        all.add(new Shape("smallint", (short) 0, (short) 1, (short) -1, (short) 32767, (short) -32767).literal("%s"));
        all.add(new Shape("integer", 0, 1, -1, 42, 2147483647, -2147483647).literal("%s"));
        Object[] longs = {0L, 1L, -1L, 4294967296L, -4294967297L, 9223372036854775807L, -9223372036854775807L};
        all.add(new Shape("int8", longs).literal("%s"));
        all.add(new Shape("bigint", longs).literal("%s"));
        all.add(new Shape("serial", 1, 7, 2147483647).literal("%s"));
        all.add(new Shape("serial8", 1L, 4294967297L, 9223372036854775807L).literal("%s"));
        all.add(new Shape("bigserial", 1L, 4294967297L, 9223372036854775807L).literal("%s"));
        all.add(new Shape("smallfloat", 0f, 1.5f, -1.5f, 0.1f, 16777216f, Float.MAX_VALUE, -Float.MAX_VALUE,
                Float.MIN_NORMAL));
        all.add(new Shape("float", 0d, 0.1d, -0.1d, 1e15, Double.MAX_VALUE, -Double.MAX_VALUE, Double.MIN_NORMAL));
        all.add(new Shape("decimal(16)", dec("0"), dec("1"), dec("-1"), dec("0.1"), dec("123.45"), dec("1000"),
                dec("1234567890123456"), dec("-0.1234567890123456"), dec("1E-120"), dec("1E+120")).literal("%s"));
        all.add(new Shape("decimal(32)", dec("0"), dec("12345678901234567890123456789012"),
                dec("-1.2345678901234567890123456789012"), dec("1E-120"), dec("-1E+120")).literal("%s"));
        all.add(new Shape("decimal(17)", dec("0.1"), dec("12345678901234567")).literal("%s"));
        all.add(new Shape("decimal(5,2)", dec("0.00"), dec("999.99"), dec("-999.99"), dec("0.01"), dec("12.30"))
                .literal("%s"));
        all.add(new Shape("decimal(1,0)", dec("0"), dec("9"), dec("-9")).literal("%s"));
        all.add(new Shape("decimal(3,1)", dec("99.9"), dec("-99.9"), dec("10.0")).literal("%s"));
        all.add(new Shape("decimal(32,0)", dec("99999999999999999999999999999999"),
                dec("-99999999999999999999999999999999"), dec("0")).literal("%s"));
        all.add(new Shape("decimal(32,10)", dec("1234567890123456789012.0123456789"), dec("0.0000000001"))
                .literal("%s"));
        all.add(new Shape("decimal(32,32)", dec("0.12345678901234567890123456789012"),
                dec("0.00000000000000000000000000000001")).literal("%s"));
        all.add(new Shape("money(16,2)", dec("0.00"), dec("1234.56"), dec("-1234.56"), dec("99999999999999.99"))
                .literal("%s"));
        all.add(new Shape("money", dec("0.01"), dec("-99999999999999.99")).literal("%s"));
        all.add(new Shape("date", Date.valueOf("1899-12-31"), Date.valueOf("1900-01-01"), Date.valueOf("2024-02-29"),
                Date.valueOf("1600-02-29"), Date.valueOf("9999-12-31")));
        all.add(new Shape("datetime year to second", ts("2024-02-29 12:34:56"), ts("9999-12-31 23:59:59"),
                ts("1600-01-01 00:00:00"), ts("2000-01-01 00:05:07")).literal("datetime(%s) year to second"));
        all.add(new Shape("datetime year to fraction(5)", ts("2024-02-29 12:34:56.12345"),
                ts("2000-01-01 00:00:00.00001"), ts("9999-12-31 23:59:59.99999"))
                .literal("datetime(%s) year to fraction(5)"));
        all.add(new Shape("datetime year to fraction(3)", ts("2024-02-29 12:34:56.123"), ts("2000-01-01 00:00:00.001"))
                .literal("datetime(%s) year to fraction(3)"));
        for (int n = 1; n <= 5; n++) {
            all.add(new Shape("datetime hour to fraction(" + n + ")", "12:34:56." + "12345".substring(0, n)));
        }
        all.add(new Shape("datetime year to year", "2024", "9999", "1600"));
        all.add(new Shape("datetime year to month", "2024-02", "9999-12"));
        all.add(new Shape("datetime year to day", "2024-02-29", "9999-12-31"));
        all.add(new Shape("datetime year to hour", "2024-02-29 12", "2024-02-29 00"));
        all.add(new Shape("datetime year to minute", "2024-02-29 12:34", "2024-02-29 00:00"));
        all.add(new Shape("datetime month to month", "01", "12"));
        all.add(new Shape("datetime month to day", "01-01", "12-31"));
        all.add(new Shape("datetime month to second", "12-31 12:30:45"));
        all.add(new Shape("datetime day to day", "01", "29"));
        all.add(new Shape("datetime day to minute", "29 00:05"));
        all.add(new Shape("datetime hour to hour", "00", "23"));
        all.add(new Shape("datetime hour to minute", "00:00", "23:59", "00:05"));
        all.add(new Shape("datetime hour to second", Time.valueOf("00:00:00"), Time.valueOf("23:59:59"),
                Time.valueOf("00:05:07")));
        all.add(new Shape("datetime minute to second", "00:00", "59:59", "05:07"));
        all.add(new Shape("datetime second to second", "00", "59"));
        all.add(new Shape("interval year to month", ym("3-02"), ym("-3-02"), ym("0-11"), ym("9999-11")));
        all.add(new Shape("interval year(9) to month", ym("3-02"), ym("-100-11")));
        all.add(new Shape("interval month(5) to month", "38", "-38", "0"));
        all.add(new Shape("interval day to second", df("5 04:03:02"), df("-5 04:03:02"), df("0 00:00:01"),
                df("99 23:59:59")));
        all.add(new Shape("interval day(9) to fraction(5)", df("5 04:03:02.12345"), df("-5 04:03:02.12345"),
                df("0 00:05:07.50000"), df("-0 00:05:07.50000")));
        all.add(new Shape("interval day(4) to hour", "1234 05", "-1234 05"));
        all.add(new Shape("interval hour to minute", "12:34", "-12:34"));
        all.add(new Shape("interval minute to second", "12:34", "-12:34"));
        all.add(new Shape("interval second to fraction(3)", "12.345", "-12.345"));
        all.add(new Shape("char(1)", "a", " ").literal("%s"));
        all.add(new Shape("char(20)", "", "it's", "exactly twenty chars", "a\tb\nc").literal("%s"));
        all.add(new Shape("nchar(20)", "", "abc", "exactly twenty chars").literal("%s"));
        all.add(new Shape("varchar(20)", "", " ", "abc", "it's", "exactly twenty chars", "trail  ").literal("%s"));
        all.add(new Shape("varchar(255)", "x", "y".repeat(254), "z".repeat(255)).literal("%s"));
        all.add(new Shape("nvarchar(20)", "", "abc", "exactly twenty chars").literal("%s"));
        all.add(new Shape("lvarchar(3000)", "", "a", "ab", "c".repeat(255), "d".repeat(256), "e".repeat(2047),
                "f".repeat(3000)).literal("%s"));
        all.add(new Shape("lvarchar", "default length").literal("%s"));
        all.add(new Shape("boolean", true, false));
        return all;
    }

    private static Timestamp ts(String text) {
        return Timestamp.valueOf(text);
    }

    private static IntervalYM ym(String text) {
        try {
            return new IntervalYM(text);
        } catch (Exception e) {
            throw new AssertionError(text, e);
        }
    }

    private static IntervalDF df(String text) {
        try {
            return new IntervalDF(text);
        } catch (Exception e) {
            throw new AssertionError(text, e);
        }
    }

    private void roundTrip(Shape shape) throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            boolean serial = shape.type.contains("serial");
            s.executeUpdate("create temp table rt (before integer, v " + shape.type
                    + ", after smallint, tail varchar(10)) with no log");
            int row = 0;
            List<Object> expected = new ArrayList<>();
            try (PreparedStatement insert = c.prepareStatement("insert into rt values (?, ?, ?, ?)")) {
                for (Object value : shape.values) {
                    insert(insert, row++, value, false);
                    expected.add(value);
                    if (!(value instanceof Boolean) && !(value instanceof Float) && !(value instanceof Double)) {
                        insert(insert, row++, shape.type.endsWith("second") ? withoutFraction(value) : value, true);
                        expected.add(value);
                    }
                }
                if (!serial) {
                    insert(insert, row++, null, false);
                    expected.add(null);
                }
            }
            if (shape.literal != null) {
                for (Object value : shape.values) {
                    String literal = String.format(shape.literal, literal(value, shape.literal.equals("%s")));
                    s.executeUpdate("insert into rt values (" + row + ", " + literal + ", "
                            + (row % 1000) + ", 't" + row + "')");
                    expected.add(value);
                    row++;
                }
            }
            try (ResultSet r = s.executeQuery("select before, v, after, tail from rt order by before")) {
                checks.equal("type name", typeName(shape.type), typeName(r.getMetaData().getColumnTypeName(2)));
                for (int i = 0; i < row; i++) {
                    checks.that("row " + i + " is there", r.next());
                    compare("row " + i, shape, expected.get(i), r);
                    checks.equal("row " + i + " before", i, r.getInt(1));
                    checks.equal("row " + i + " after", (short) (i % 1000), r.getShort(3));
                    checks.equal("row " + i + " tail", "t" + i, r.getString(4));
                }
                checks.that("no more rows", !r.next());
            }
            // The server compares equal values as equal.
            if (!shape.type.contains("float")) {
                try (PreparedStatement find = c.prepareStatement("select count(*) from rt where v = ?")) {
                    for (Object value : shape.values) {
                        long same = expected.stream().filter(e -> sameText(e, value)).count();
                        set(find, 1, value);
                        try (ResultSet r = find.executeQuery()) {
                            r.next();
                            checks.equal("rows that equal " + text(value), same, r.getLong(1));
                        }
                    }
                }
            }
            try (ResultSet r = s.executeQuery("select count(*) from rt where v is null")) {
                r.next();
                checks.equal("NULLs", serial ? 0 : 1, r.getInt(1));
            }
        }
    }

    /** Without lengths and leading precisions, which the driver shows for intervals and hides for the rest. */
    private static String typeName(String type) {
        String name = type.replaceFirst("^integer", "int");
        return name.startsWith("datetime") ? name : name.replaceAll("\\([\\d,]+\\)", "");
    }

    /** The driver writes every day-to-second interval with five fraction digits; the server takes none here. */
    private static Object withoutFraction(Object value) {
        return value instanceof IntervalDF ? value.toString().replaceFirst("\\.0+$", "") : value;
    }

    private static boolean sameText(Object a, Object b) {
        // Trailing blanks do not count when the server compares character data.
        return a != null && text(a).stripTrailing().equals(text(b).stripTrailing());
    }

    private static void insert(PreparedStatement insert, int row, Object value, boolean asText) throws Exception {
        insert.setInt(1, row);
        if (asText) {
            insert.setString(2, text(value));
        } else {
            set(insert, 2, value);
        }
        insert.setShort(3, (short) (row % 1000));
        insert.setString(4, "t" + row);
        insert.executeUpdate();
    }

    static void set(PreparedStatement p, int at, Object value) throws Exception {
        if (value == null) {
            p.setNull(at, java.sql.Types.VARCHAR);
        } else if (value instanceof Short) {
            p.setShort(at, (Short) value);
        } else if (value instanceof Integer) {
            p.setInt(at, (Integer) value);
        } else if (value instanceof Long) {
            p.setLong(at, (Long) value);
        } else if (value instanceof Float) {
            p.setFloat(at, (Float) value);
        } else if (value instanceof Double) {
            p.setDouble(at, (Double) value);
        } else if (value instanceof BigDecimal) {
            p.setBigDecimal(at, (BigDecimal) value);
        } else if (value instanceof Date) {
            p.setDate(at, (Date) value);
        } else if (value instanceof Timestamp) {
            p.setTimestamp(at, (Timestamp) value);
        } else if (value instanceof Time) {
            p.setTime(at, (Time) value);
        } else if (value instanceof Boolean) {
            p.setBoolean(at, (Boolean) value);
        } else if (value instanceof String) {
            p.setString(at, (String) value);
        } else {
            p.setObject(at, value);
        }
    }

    /** A value as the text that the server takes. */
    private static String text(Object value) {
        if (value instanceof Timestamp) {
            // The driver's default DBDATE is Y4MD-, and a DATETIME text needs the qualifier's fields only.
            String text = value.toString();
            return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
        }
        return value.toString();
    }

    private static String literal(Object value, boolean quoteStrings) {
        String text = text(value);
        return quoteStrings && value instanceof String ? "'" + text.replace("'", "''") + "'" : text;
    }

    private void compare(String what, Shape shape, Object expected, ResultSet r) throws Exception {
        String text = r.getString(2);
        if (expected == null) {
            checks.equal(what + " is NULL", null, text);
            checks.that(what + " wasNull", r.wasNull());
            return;
        }
        what = what + " of " + text(expected);
        if (expected instanceof BigDecimal) {
            BigDecimal actual = r.getBigDecimal(2);
            if (actual == null) {
                checks.fail(what + ": got NULL");
            } else if (shape.type.contains(",") || shape.type.startsWith("money")) {
                checks.equal(what, expected, actual);
            } else {
                checks.that(what + ": got " + actual, ((BigDecimal) expected).compareTo(actual) == 0);
            }
        } else if (expected instanceof Short) {
            checks.equal(what, expected, r.getShort(2));
        } else if (expected instanceof Integer) {
            checks.equal(what, expected, r.getInt(2));
        } else if (expected instanceof Long) {
            checks.equal(what, expected, r.getLong(2));
        } else if (expected instanceof Float) {
            checks.equal(what, expected, r.getFloat(2));
        } else if (expected instanceof Double) {
            checks.equal(what, expected, r.getDouble(2));
        } else if (expected instanceof Boolean) {
            checks.equal(what, expected, r.getBoolean(2));
        } else if (expected instanceof Date) {
            checks.equal(what, expected.toString(), String.valueOf(r.getDate(2)));
        } else if (expected instanceof Timestamp) {
            checks.equal(what, expected, r.getTimestamp(2));
        } else if (expected instanceof Time) {
            checks.equal(what, expected.toString(), String.valueOf(r.getTime(2)));
        } else if (shape.type.contains("char(") && !shape.type.contains("var")) {
            int width = Integer.parseInt(shape.type.replaceAll("\\D", ""));
            checks.equal(what, String.format("%-" + width + "s", expected), text);
        } else if (expected instanceof String && shape.type.contains("char")) {
            checks.equal(what, expected, text);
        } else {
            // Partial DATETIMEs and intervals: the driver drops zeros and pads, so only the value counts.
            checks.equal(what, canonical(expected.toString()), text == null ? null : canonical(text));
        }
    }

    private static String canonical(String text) {
        String body = text.strip();
        return body.contains(".") ? body.replaceFirst("0+$", "").replaceFirst("\\.$", "") : body;
    }

    /** One row of every type: with values, and with every column NULL. */
    private void oneRow() throws Exception {
        List<Shape> shapes = new ArrayList<>();
        for (Shape shape : shapes()) {
            if (!shape.type.contains("serial")) {
                shapes.add(shape);
            }
        }
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            StringBuilder create = new StringBuilder("create temp table wide (id serial not null");
            StringBuilder insert = new StringBuilder("insert into wide values (0");
            for (int i = 0; i < shapes.size(); i++) {
                create.append(", c").append(i).append(' ').append(shapes.get(i).type);
                insert.append(", ?");
            }
            s.executeUpdate(create.append(") with no log").toString());
            int rows = 4;
            try (PreparedStatement p = c.prepareStatement(insert.append(")").toString())) {
                for (int row = 0; row < rows; row++) {
                    for (int i = 0; i < shapes.size(); i++) {
                        set(p, i + 1, wideValue(shapes, row, i));
                    }
                    checks.equal("inserted", 1, p.executeUpdate());
                }
            }
            try (ResultSet r = s.executeQuery("select * from wide order by id")) {
                for (int row = 0; row < rows; row++) {
                    checks.that("row " + row, r.next());
                    checks.equal("serial of row " + row, row + 1, r.getInt(1));
                    for (int i = 0; i < shapes.size(); i++) {
                        Object expected = wideValue(shapes, row, i);
                        String text = r.getString(i + 2);
                        String what = "row " + row + " " + shapes.get(i).type;
                        if (expected == null) {
                            checks.equal(what, null, text);
                        } else if (expected instanceof BigDecimal) {
                            checks.that(what, ((BigDecimal) expected).compareTo(r.getBigDecimal(i + 2)) == 0);
                        } else if (expected instanceof String) {
                            checks.equal(what, canonical((String) expected), canonical(String.valueOf(text)));
                        } else {
                            checks.that(what, text != null);
                        }
                    }
                }
                checks.that("end", !r.next());
            }
        }
    }

    /** Row 0: first values; 1: all NULL; 2: last values; 3: every other column NULL. */
    private static Object wideValue(List<Shape> shapes, int row, int column) {
        Object[] values = shapes.get(column).values;
        switch (row) {
            case 0:
                return values[0];
            case 2:
                return values[values.length - 1];
            case 3:
                return column % 2 == 0 ? null : values[0];
            default:
                return null;
        }
    }

    private void latinText() throws Exception {
        text("testdb", "", new String[] {"éüßñ", "\u00a0\u00ff", "~!@#$%^&*()"});
        text("testdb", "CLIENT_LOCALE=en_US.utf8;DB_LOCALE=en_US.8859-1;", new String[] {"éüßñ", "plain"});
    }

    /** A database of its own in UTF-8: made by a session with that locale. */
    private void unicodeText() throws Exception {
        String locale = "CLIENT_LOCALE=en_US.utf8;DB_LOCALE=en_US.utf8;";
        try (Connection c = DriverManager.getConnection("jdbc:informix-sqli://" + server.host + ":" + server.port
                + ":INFORMIXSERVER=informix;" + locale, "informix", "in4mix"); Statement s = c.createStatement()) {
            s.execute("create database judge_utf8 with log");
        }
        text("judge_utf8", locale, new String[] {"日本語", "€ Привет", "مرحبا", "é", "😀"});
        checks.fails("another locale than the database's", -23197,
                () -> server.connect("judge_utf8", "DB_LOCALE=de_DE.8859-1;CLIENT_LOCALE=de_DE.8859-1").close());
    }

    private void text(String database, String options, String[] texts) throws Exception {
        String label = database + " " + options;
        try (Connection c = server.connect(database, options); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table tx (id integer, a char(40), b varchar(40), d nchar(40), "
                    + "e nvarchar(40), f lvarchar(400), z integer) with no log");
            try (PreparedStatement p = c.prepareStatement("insert into tx values (?,?,?,?,?,?,?)")) {
                for (int i = 0; i < texts.length; i++) {
                    p.setInt(1, i);
                    for (int k = 2; k <= 6; k++) {
                        p.setString(k, texts[i]);
                    }
                    p.setInt(7, -i);
                    p.executeUpdate();
                }
            }
            try (ResultSet r = s.executeQuery("select * from tx order by id")) {
                for (int i = 0; i < texts.length; i++) {
                    checks.that(label + " row " + i, r.next());
                    for (int k = 2; k <= 6; k++) {
                        checks.equal(label + " column " + k, texts[i], r.getString(k).replaceFirst(" +$", ""));
                    }
                    checks.equal(label + " last", -i, r.getInt(7));
                }
            }
        }
    }
}
