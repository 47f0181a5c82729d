import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Many results at once, wide tables, large rows, long results. */
final class Capacity {
    private final Checks checks;
    private final Server server;

    Capacity(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    void run() {
        checks.section("a hundred result sets at once", this::manyResults);
        for (int columns : new int[] {1, 2, 100, 1000}) {
            checks.section(columns + " columns", () -> columns(columns));
        }
        checks.section("rows of 32 KB", this::largeRows);
        for (int rows : new int[] {0, 1, 2, 100_000}) {
            checks.section(rows + " rows", () -> rows(rows));
        }
    }

    private void manyResults() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table many (k integer, v varchar(100)) with no log");
            try (PreparedStatement p = c.prepareStatement("insert into many values (?, ?)")) {
                for (int k = 0; k < 300; k++) {
                    p.setInt(1, k);
                    p.setString(2, "v".repeat(k % 100));
                    p.addBatch();
                }
                p.executeBatch();
            }
            List<PreparedStatement> statements = new ArrayList<>();
            List<ResultSet> results = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                PreparedStatement p = c.prepareStatement("select k, v from many where k >= ? order by k",
                        i % 3 == 0 ? ResultSet.TYPE_SCROLL_INSENSITIVE : ResultSet.TYPE_FORWARD_ONLY,
                        ResultSet.CONCUR_READ_ONLY);
                p.setInt(1, i);
                statements.add(p);
                results.add(p.executeQuery());
            }
            // Row by row through all of them.
            for (int row = 0; row < 200; row++) {
                for (int i = 0; i < 100; i++) {
                    ResultSet r = results.get(i);
                    checks.that("result " + i + " row " + row,
                            r.next() && r.getInt(1) == i + row && r.getString(2).length() == (i + row) % 100);
                }
            }
            // The half of them is closed, the rest goes on.
            for (int i = 0; i < 100; i += 2) {
                statements.get(i).close();
            }
            for (int i = 1; i < 100; i += 2) {
                int left = 0;
                while (results.get(i).next()) {
                    left++;
                }
                checks.equal("result " + i, 100 - i, left);
                statements.get(i).close();
            }
        }
    }

    private void columns(int count) throws Exception {
        String[] types = {"integer", "varchar(20)", "decimal(10,2)", "date", "char(3)", "float", "bigint", "lvarchar(40)"};
        String[] values = {"7", "x", "1.25", "2024-02-29", "abc", "0.5", "9", "y"};
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            StringBuilder create = new StringBuilder("create temp table wide (");
            StringBuilder insert = new StringBuilder("insert into wide values (");
            for (int i = 0; i < count; i++) {
                create.append(i == 0 ? "" : ", ").append("column_").append(i).append(' ').append(types[i % 8]);
                insert.append(i == 0 ? "?" : ", ?");
            }
            s.executeUpdate(create.append(") with no log").toString());
            try (PreparedStatement p = c.prepareStatement(insert.append(')').toString())) {
                for (int row = 0; row < 3; row++) {
                    for (int i = 0; i < count; i++) {
                        // Row 1 is NULL everywhere.
                        p.setString(i + 1, row == 1 ? null : values[i % 8]);
                    }
                    checks.equal("inserted", 1, p.executeUpdate());
                }
            }
            try (ResultSet r = s.executeQuery("select * from wide")) {
                ResultSetMetaData m = r.getMetaData();
                checks.equal("columns", count, m.getColumnCount());
                checks.equal("the last one's name", "column_" + (count - 1), m.getColumnName(count));
                for (int row = 0; row < 3; row++) {
                    checks.that("row " + row, r.next());
                    for (int i = 0; i < count; i++) {
                        String got = r.getString(i + 1);
                        checks.equal("row " + row + " column " + i, row == 1 ? null : values[i % 8], got);
                    }
                }
            }
        }
    }

    private void largeRows() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            // 32 767 bytes: what a row may have.
            s.executeUpdate("create temp table large (a char(32700), b char(63), k integer) with no log");
            checks.fails("one byte more", -499, () -> s.executeUpdate(
                    "create temp table larger (a char(32700), b char(64), k integer) with no log"));
            try (PreparedStatement p = c.prepareStatement("insert into large values (?, ?, ?)")) {
                for (int k = 0; k < 20; k++) {
                    p.setString(1, "a".repeat(32_700 - k));
                    p.setString(2, "b");
                    p.setInt(3, k);
                    p.executeUpdate();
                }
            }
            for (String options : new String[] {"", "FET_BUF_SIZE=1048576"}) {
                try (Connection d = options.isEmpty() ? null : server.connect("testdb", options);
                        Statement t = (d == null ? c : d).createStatement()) {
                    if (d != null) {
                        t.executeUpdate("create temp table large (a char(32700), b char(63), k integer) with no log");
                        t.executeUpdate("insert into large values ('" + "a".repeat(32_700) + "', 'b', 0)");
                    }
                    try (ResultSet r = t.executeQuery("select * from large order by k")) {
                        int k = 0;
                        while (r.next()) {
                            checks.equal("row " + k, 32_700 - k, r.getString(1).stripTrailing().length());
                            checks.equal("its key", k++, r.getInt(3));
                        }
                        checks.equal("rows", d == null ? 20 : 1, k);
                    }
                }
            }
        }
    }

    private void rows(int count) throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table lines (k integer, v varchar(30), d decimal(12,2)) with no log");
            c.setAutoCommit(false);
            try (PreparedStatement p = c.prepareStatement("insert into lines values (?, ?, ?)")) {
                for (int k = 0; k < count; k++) {
                    p.setInt(1, k);
                    p.setString(2, k % 10 == 0 ? null : "line " + k);
                    p.setBigDecimal(3, java.math.BigDecimal.valueOf(k, 2));
                    p.addBatch();
                    if (k % 5000 == 4999) {
                        p.executeBatch();
                    }
                }
                if (count % 5000 != 0) {
                    checks.equal("counts", count % 5000, p.executeBatch().length);
                }
            }
            c.commit();
            int seen = 0;
            boolean right = true;
            try (ResultSet r = s.executeQuery("select k, v, d from lines order by k")) {
                while (r.next()) {
                    String expected = seen % 10 == 0 ? null : "line " + seen;
                    right &= r.getInt(1) == seen && java.util.Objects.equals(expected, r.getString(2))
                            && r.getBigDecimal(3).unscaledValue().intValueExact() == seen;
                    seen++;
                }
            }
            checks.equal("rows", count, seen);
            checks.that("each one as stored", right);
            c.commit();
        }
    }
}
