import java.math.BigDecimal;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Arrays;

/** Queries, counts, batches, generated keys, aggregates. */
final class Statements {
    private final Checks checks;
    private final Server server;

    Statements(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    void run() {
        checks.section("update counts", this::counts);
        checks.section("queries", this::queries);
        checks.section("prepared again", this::preparedAgain);
        checks.section("batch", this::batch);
        checks.section("batch with an error", this::batchError);
        checks.section("batch by insert cursor", this::batchPut);
        checks.section("generated keys", this::generatedKeys);
        checks.section("many rows", this::manyRows);
    }

    private void counts() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            checks.equal("create", 0, s.executeUpdate("create temp table k (a integer, b varchar(20)) with no log"));
            for (int i = 1; i <= 5; i++) {
                checks.equal("insert", 1, s.executeUpdate("insert into k values (" + i + ", 'row " + i + "')"));
            }
            checks.equal("update", 2, s.executeUpdate("update k set b = 'small' where a < 3"));
            checks.equal("update none", 0, s.executeUpdate("update k set b = 'small' where a > 99"));
            checks.equal("delete", 1, s.executeUpdate("delete from k where a = 5"));
            checks.equal("insert select", 4, s.executeUpdate("insert into k select a + 10, b from k"));
            checks.equal("left", 8, Connecting.one(c, "select count(*) from k"));
            checks.that("execute says no rows", !s.execute("update k set b = 'x' where a = 1"));
            checks.equal("its count", 1, s.getUpdateCount());
            checks.that("execute says rows", s.execute("select a from k"));
            s.getResultSet().close();
            checks.equal("drop", 0, s.executeUpdate("drop table k"));
        }
    }

    private void queries() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table emp (id integer, name varchar(20), dept integer, pay decimal(10,2),"
                    + " since date) with no log");
            s.executeUpdate("create temp table dept (id integer, name varchar(20)) with no log");
            String[] people = {"1,'ann',1,100.50,'2020-01-31'", "2,'bob',1,200.25,'2021-02-28'",
                "3,'cid',2,300.00,'2022-03-31'", "4,'dan',null,50.00,null"};
            for (String p : people) {
                s.executeUpdate("insert into emp values (" + p + ")");
            }
            s.executeUpdate("insert into dept values (1,'tools')");
            s.executeUpdate("insert into dept values (2,'sales')");
            s.executeUpdate("insert into dept values (3,'empty')");
            String[][] questions = {
                {"select count(*) from emp", "4"},
                {"select sum(pay) from emp", "650.75"},
                {"select max(name) from emp", "dan"},
                {"select min(since) from emp", "2020-01-31"},
                {"select count(distinct dept) from emp", "2"},
                {"select e.name from emp e, dept d where e.dept = d.id and d.name = 'sales'", "cid"},
                {"select d.name from dept d left join emp e on e.dept = d.id where e.id is null", "empty"},
                {"select dept from emp group by dept having count(*) > 1", "1"},
                {"select first 1 name from emp order by pay desc", "cid"},
                {"select skip 1 first 1 name from emp order by id", "bob"},
                {"select name from emp where pay between 150 and 250", "bob"},
                {"select name from emp where name like 'a%'", "ann"},
                {"select name from emp where name matches '*d' and id = 3", "cid"},
                {"select name from emp where id in (select max(id) from emp)", "dan"},
                {"select name from emp where not exists (select 1 from dept where dept.id = emp.dept)", "dan"},
                {"select case when pay > 150 then 'high' else 'low' end from emp where id = 2", "high"},
                {"select nvl(dept, -1) from emp where id = 4", "-1"},
                {"select upper(name) || '!' from emp where id = 1", "ANN!"},
                {"select length(name) from emp where id = 1", "3"},
                {"select pay::integer from emp where id = 1", "100"},
                {"select id + 1 from emp where id = 1", "2"},
                {"select year(since) from emp where id = 3", "2022"},
                {"select name from emp where id = 1 union select name from dept where id = 99", "ann"},
                {"select trim(name) from emp where since is null", "dan"},
                {"select substr(name, 2, 2) from emp where id = 2", "ob"},
                {"select mod(7, 4) from systables where tabid = 1", "3"},
                {"select round(2.567, 2) from systables where tabid = 1", "2.57"},
                {"select dbinfo('dbname') from systables where tabid = 1", "testdb"},
                {"select user from systables where tabid = 1", "informix"},
                {"select tabname from systables where tabid = 2", "syscolumns"},
            };
            for (String[] q : questions) {
                try (ResultSet r = s.executeQuery(q[0])) {
                    checks.equal(q[0], q[1], r.next() ? canonical(r.getString(1)) : "no row");
                    checks.that(q[0] + ": one row", !r.next());
                } catch (Exception e) {
                    checks.fail(q[0] + ": " + e);
                }
            }
            try (ResultSet r = s.executeQuery("select today, current, current year to second from systables"
                    + " where tabid = 1")) {
                checks.that("now", r.next() && r.getDate(1) != null && r.getTimestamp(2) != null
                        && r.getTimestamp(3) != null);
            }
            try (ResultSet r = s.executeQuery("select avg(pay) from emp")) {
                checks.that("avg", r.next() && r.getBigDecimal(1).compareTo(new BigDecimal("162.6875")) == 0);
            }
        }
    }

    /** Sums of decimals come without fixed scale. */
    private static String canonical(String text) {
        String body = String.valueOf(text).stripTrailing();
        return body.matches("-?\\d+\\.\\d*0+") ? body.replaceFirst("\\.?0+$", "") : body;
    }

    private void preparedAgain() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table pa (a integer, b varchar(20)) with no log");
            try (PreparedStatement insert = c.prepareStatement("insert into pa values (?, ?)");
                    PreparedStatement find = c.prepareStatement("select b from pa where a = ?");
                    PreparedStatement update = c.prepareStatement("update pa set b = ? where a = ?");
                    PreparedStatement delete = c.prepareStatement("delete from pa where a = ?")) {
                for (int i = 0; i < 10; i++) {
                    insert.setInt(1, i);
                    insert.setString(2, "row " + i);
                    checks.equal("insert", 1, insert.executeUpdate());
                    find.setInt(1, i);
                    try (ResultSet r = find.executeQuery()) {
                        checks.that("found", r.next());
                        checks.equal("b", "row " + i, r.getString("b"));
                    }
                    update.setString(1, "new " + i);
                    update.setInt(2, i);
                    checks.equal("update", 1, update.executeUpdate());
                    delete.setInt(1, i - 1);
                    checks.equal("delete", i == 0 ? 0 : 1, delete.executeUpdate());
                }
            }
            checks.equal("left", "new 9", Connecting.text(c, "select b from pa"));
        }
    }

    private void batch() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table ba (a integer, b varchar(20), d decimal(8,2)) with no log");
            try (PreparedStatement p = c.prepareStatement("insert into ba values (?, ?, ?)")) {
                for (int i = 0; i < 500; i++) {
                    p.setInt(1, i);
                    p.setString(2, i % 7 == 0 ? null : "text " + i);
                    p.setBigDecimal(3, new BigDecimal(i).movePointLeft(2));
                    p.addBatch();
                }
                int[] counts = p.executeBatch();
                checks.equal("counts", 500, counts.length);
                checks.that("each one", Arrays.stream(counts).allMatch(n -> n == 1));
            }
            checks.equal("rows", 500, Connecting.one(c, "select count(*) from ba"));
            checks.equal("nulls", 72, Connecting.one(c, "select count(*) from ba where b is null"));
            s.addBatch("insert into ba values (1000, 'a', 1)");
            s.addBatch("update ba set b = 'z' where a < 10");
            s.addBatch("delete from ba where a = 1000");
            checks.equal("statement batch", "[1, 10, 1]", Arrays.toString(s.executeBatch()));
        }
    }

    private void batchError() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table be (a integer primary key) with no log");
            try (PreparedStatement p = c.prepareStatement("insert into be values (?)")) {
                for (int i : new int[] {1, 2, 2, 3}) {
                    p.setInt(1, i);
                    p.addBatch();
                }
                try {
                    p.executeBatch();
                    checks.fail("a duplicate in a batch must fail");
                } catch (BatchUpdateException e) {
                    checks.equal("code", -268, e.getErrorCode());
                    checks.equal("counts before it", 2, e.getUpdateCounts().length);
                }
            }
            checks.equal("still usable", 2, Connecting.one(c, "select count(*) from be where a < 3"));
        }
    }

    private void batchPut() throws Exception {
        try (Connection c = server.connect("testdb", "IFX_USEPUT=1"); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table bp (a integer, b varchar(20)) with no log");
            c.setAutoCommit(false);
            try (PreparedStatement p = c.prepareStatement("insert into bp values (?, ?)")) {
                for (int i = 0; i < 300; i++) {
                    p.setInt(1, i);
                    p.setString(2, i % 5 == 0 ? null : "row " + i);
                    p.addBatch();
                }
                p.executeBatch();
            }
            c.commit();
            checks.equal("rows", 300, Connecting.one(c, "select count(*) from bp"));
            checks.equal("nulls", 60, Connecting.one(c, "select count(*) from bp where b is null"));
        }
    }

    private void generatedKeys() throws Exception {
        String[][] types = {{"serial", "gk1"}, {"serial8", "gk2"}, {"bigserial", "gk3"}};
        for (String[] type : types) {
            try (Connection c = server.connect(); Statement s = c.createStatement()) {
                s.executeUpdate("create temp table " + type[1] + " (id " + type[0] + "(10), b varchar(20)) with no log");
                for (int i = 0; i < 3; i++) {
                    s.executeUpdate("insert into " + type[1] + " (b) values ('x')", Statement.RETURN_GENERATED_KEYS);
                    try (ResultSet r = s.getGeneratedKeys()) {
                        checks.equal(type[0], 10L + i, r.next() ? r.getLong(1) : -1L);
                    }
                }
                try (PreparedStatement p = c.prepareStatement("insert into " + type[1] + " values (0, ?)",
                        Statement.RETURN_GENERATED_KEYS)) {
                    p.setString(1, "y");
                    p.executeUpdate();
                    try (ResultSet r = p.getGeneratedKeys()) {
                        checks.equal(type[0] + " prepared", 13L, r.next() ? r.getLong(1) : -1L);
                    }
                }
                s.executeUpdate("insert into " + type[1] + " values (100, 'explicit')");
                s.executeUpdate("insert into " + type[1] + " (b) values ('next')", Statement.RETURN_GENERATED_KEYS);
                try (ResultSet r = s.getGeneratedKeys()) {
                    checks.equal(type[0] + " after an explicit value", 101L, r.next() ? r.getLong(1) : -1L);
                }
            }
        }
    }

    private void manyRows() throws Exception {
        int rows = 5000;
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table mr (a integer, b char(200), d varchar(100)) with no log");
            c.setAutoCommit(false);
            try (PreparedStatement p = c.prepareStatement("insert into mr values (?, ?, ?)")) {
                for (int i = 0; i < rows; i++) {
                    p.setInt(1, i);
                    p.setString(2, "fixed " + i);
                    p.setString(3, "v".repeat(i % 100));
                    p.addBatch();
                    if (i % 1000 == 999) {
                        p.executeBatch();
                    }
                }
            }
            c.commit();
            int seen = 0;
            boolean same = true;
            try (ResultSet r = s.executeQuery("select * from mr order by a")) {
                while (r.next()) {
                    same &= r.getInt(1) == seen && r.getString(2).trim().equals("fixed " + seen)
                            && r.getString(3).length() == seen % 100;
                    seen++;
                }
            }
            checks.equal("rows", rows, seen);
            checks.that("each row as stored", same);
            c.commit();
        }
    }
}
