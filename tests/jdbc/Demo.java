import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.Statement;
import java.sql.Timestamp;

/** The demonstration by the vendor's JDBC driver: `java Demo PORT`. */
public final class Demo {
    private static final String[] TYPES = {
        "smallint", "integer", "int8", "bigint", "smallfloat", "float", "decimal(16)", "decimal(10,2)", "money(10,2)",
        "date", "datetime year to fraction(3)", "datetime hour to minute", "interval year to month",
        "interval day to second", "char(8)", "nchar(8)", "varchar(20)", "nvarchar(20)", "lvarchar(200)", "boolean",
    };
    private static final Object[] VALUES = {
        (short) -32767, 2147483647, 9223372036854775807L, -1L, 1.5f, 0.1, new BigDecimal("123.45"),
        new BigDecimal("-99999999.99"), new BigDecimal("19.90"), Date.valueOf("2024-02-29"),
        Timestamp.valueOf("2024-02-29 12:34:56.789"), "23:59", "3-11", "5 04:03:02", "char", "nchar", "varchar",
        "nvarchar", "lvarchar", true,
    };

    private Demo() {}

    public static void main(String[] args) throws Exception {
        Class.forName("com.informix.jdbc.IfxDriver");
        String url = "jdbc:informix-sqli://127.0.0.1:" + args[0] + "/testdb:INFORMIXSERVER=informix";
        try (Connection c = DriverManager.getConnection(url, "informix", "in4mix"); Statement s = c.createStatement()) {
            System.out.println(c.getMetaData().getDriverName() + " " + c.getMetaData().getDriverVersion());
            System.out.println(c.getMetaData().getDatabaseProductName() + " "
                    + c.getMetaData().getDatabaseProductVersion());
            StringBuilder create = new StringBuilder("create table demo_jdbc (id serial");
            StringBuilder insert = new StringBuilder("insert into demo_jdbc values (0");
            for (int i = 0; i < TYPES.length; i++) {
                create.append(", c").append(i).append(' ').append(TYPES[i]);
                insert.append(", ?");
            }
            s.executeUpdate(create.append(')').toString());
            c.setAutoCommit(false);
            try (PreparedStatement p = c.prepareStatement(insert.append(')').toString())) {
                for (int row = 0; row < 2; row++) {
                    for (int i = 0; i < VALUES.length; i++) {
                        Types.set(p, i + 1, row == 0 ? VALUES[i] : null);
                    }
                    p.executeUpdate();
                }
            }
            c.commit();
            try (ResultSet r = s.executeQuery("select * from demo_jdbc order by id")) {
                r.next();
                ResultSetMetaData m = r.getMetaData();
                String[] first = row(r, m);
                r.next();
                String[] second = row(r, m);
                for (int i = 0; i < first.length; i++) {
                    System.out.printf("%-30s %-28s %s%n", m.getColumnTypeName(i + 1), first[i], second[i]);
                }
            }
            c.commit();
            c.setAutoCommit(true);
            s.executeUpdate("drop table demo_jdbc");
        }
    }

    private static String[] row(ResultSet r, ResultSetMetaData m) throws Exception {
        String[] values = new String[m.getColumnCount()];
        for (int i = 0; i < values.length; i++) {
            String text = r.getString(i + 1);
            values[i] = text == null ? "NULL" : text;
        }
        return values;
    }
}
