import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/** What DatabaseMetaData reports about tables, keys, indexes, routines and privileges that were just made. */
final class Schema {
    private final Checks checks;
    private final Server server;

    Schema(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    private static final String[] OBJECTS = {
        "create table md_parent (k1 integer not null, k2 char(5) not null, v varchar(20) default 'abc',"
                + " primary key (k1, k2) constraint md_pk)",
        "create table md_child (id serial not null primary key, p1 integer, p2 char(5),"
                + " u integer unique constraint md_u,"
                + " foreign key (p1, p2) references md_parent (k1, k2) on delete cascade constraint md_fk)",
        "create index md_ix on md_child (p1 desc, u)",
        "create view md_view (a, b) as select k1, v from md_parent",
        "create synonym md_syn for md_child",
        "create function md_add(a integer, b decimal(8,2)) returning decimal(10,2); return a + b; end function",
        "create procedure md_proc(a varchar(10)) define x integer; let x = 1; end procedure",
        "create function md_two(d date) returning integer, varchar(20); return 1, 'x'; end function",
        "grant select, update on md_child to somebody",
    };

    private static final String[] REMOVAL = {
        "drop synonym md_syn", "drop view md_view", "drop table md_child", "drop table md_parent", "drop table md_all",
        "drop function md_add", "drop procedure md_proc", "drop function md_two",
    };

    void run() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            for (String sql : OBJECTS) {
                s.executeUpdate(sql);
            }
            try {
                DatabaseMetaData m = c.getMetaData();
                checks.section("md: columns of every type", () -> columns(s, m));
                checks.section("md: tables", () -> tables(m));
                checks.section("md: keys", () -> keys(m));
                checks.section("md: indexes", () -> indexes(m));
                checks.section("md: routines", () -> routines(m));
                checks.section("md: privileges", () -> privileges(m));
                checks.section("md: the rest", () -> rest(m));
            } finally {
                for (String sql : REMOVAL) {
                    try {
                        s.executeUpdate(sql);
                    } catch (SQLException e) {
                        checks.fail(sql + ": " + e);
                    }
                }
            }
        }
    }

    /** The rows of a result, the named columns joined by `|`. */
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

    private void columns(Statement s, DatabaseMetaData m) throws Exception {
        // Declaration; JDBC type, type name, size, scale, radix, default, octets, autoincrement.
        Object[][] cases = {
            {"smallint", Types.SMALLINT, "smallint", 5, 0, 10, null, 0, "NO"},
            {"integer default 7", Types.INTEGER, "integer", 10, 0, 10, "7", 0, "NO"},
            {"serial not null", Types.INTEGER, "serial", 10, 0, 10, null, 0, "YES"},
            {"int8", Types.BIGINT, "int8", 19, 0, 10, null, 0, "NO"},
            {"bigint", Types.BIGINT, "bigint", 19, 0, 10, null, 0, "NO"},
            {"bigserial not null", Types.BIGINT, "bigserial", 19, 0, 10, null, 0, "YES"},
            {"smallfloat", Types.REAL, "smallfloat", 7, 0, 10, null, 0, "NO"},
            {"float", Types.DOUBLE, "float", 17, 0, 10, null, 0, "NO"},
            {"decimal(8,2) default 1.5", Types.DECIMAL, "decimal", 8, 2, 10, "1.5", 0, "NO"},
            {"decimal(16)", Types.DECIMAL, "decimal", 16, 0, 10, null, 0, "NO"},
            {"money(10,2)", Types.DECIMAL, "money", 10, 2, 10, null, 0, "NO"},
            {"date default today", Types.DATE, "date", 10, 0, 0, "today", 0, "NO"},
            {"datetime year to second default current year to second", Types.TIMESTAMP,
                "datetime year to second", 19, 0, 0, "current", 0, "NO"},
            {"datetime year to fraction(3)", Types.TIMESTAMP, "datetime year to fraction(3)", 23, 0, 0, null, 0, "NO"},
            {"datetime hour to minute", Types.TIME, "datetime hour to minute", 5, 0, 0, null, 0, "NO"},
            {"interval day(3) to second", Types.OTHER, "interval day to second", null, 0, 0, null, 0, "NO"},
            {"char(20) default 'x'", Types.CHAR, "char", 20, 0, 0, "'x'", 20, "NO"},
            {"varchar(30,5)", Types.VARCHAR, "varchar", 30, 0, 0, null, 30, "NO"},
            {"nchar(4)", Types.CHAR, "nchar", 4, 0, 0, null, 4, "NO"},
            {"nvarchar(9)", Types.VARCHAR, "nvarchar", 9, 0, 0, null, 9, "NO"},
            {"varchar(200)", Types.VARCHAR, "varchar", 200, 0, 0, null, 200, "NO"},
            {"lvarchar(3000)", Types.LONGVARCHAR, "lvarchar", 3000, 0, 0, null, 3000, "NO"},
            {"boolean default 't'", Types.BOOLEAN, "boolean", 1, 0, 0, "t", 0, "NO"},
            {"byte", Types.LONGVARBINARY, "byte", Integer.MAX_VALUE, 0, 0, null, 0, "NO"},
            {"text", Types.LONGVARCHAR, "text", Integer.MAX_VALUE, 0, 0, null, 0, "NO"},
            {"blob", Types.BLOB, "blob", Integer.MAX_VALUE, 0, 0, null, 0, "NO"},
            {"clob", Types.CLOB, "clob", Integer.MAX_VALUE, 0, 0, null, 0, "NO"},
        };
        StringBuilder create = new StringBuilder("create table md_all (");
        for (int i = 0; i < cases.length; i++) {
            create.append(i == 0 ? "c" : ", c").append(i + 1).append(' ').append(cases[i][0]);
        }
        s.executeUpdate(create.append(')').toString());
        int seen = 0;
        try (ResultSet r = m.getColumns("testdb", "informix", "md_all", "%")) {
            while (r.next() && seen < cases.length) {
                Object[] one = cases[seen++];
                String what = one[0] + " ";
                boolean required = one[0].toString().contains("not null");
                checks.equal(what + "place", seen, r.getInt("ORDINAL_POSITION"));
                checks.equal(what + "name", "c" + seen, r.getString("COLUMN_NAME").trim());
                checks.equal(what + "type", one[1], r.getInt("DATA_TYPE"));
                checks.equal(what + "type name", one[2], r.getString("TYPE_NAME").trim());
                if (one[3] != null) {
                    checks.equal(what + "size", one[3], r.getInt("COLUMN_SIZE"));
                }
                checks.equal(what + "scale", one[4], r.getInt("DECIMAL_DIGITS"));
                checks.equal(what + "radix", one[5], r.getInt("NUM_PREC_RADIX"));
                checks.equal(what + "default", one[6], r.getString("COLUMN_DEF"));
                checks.equal(what + "octets", one[7], r.getInt("CHAR_OCTET_LENGTH"));
                checks.equal(what + "counts itself", one[8], r.getString("IS_AUTOINCREMENT"));
                checks.equal(what + "nullable", required ? 0 : 1, r.getInt("NULLABLE"));
                checks.equal(what + "is nullable", required ? "NO" : "YES", r.getString("IS_NULLABLE"));
            }
        }
        checks.equal("columns", cases.length, seen);
        checks.equal("columns by pattern", List.of("md_parent|k1", "md_parent|k2"),
                rows(m.getColumns(null, null, "md_p%", "k%"), "TABLE_NAME", "COLUMN_NAME"));
        checks.equal("columns of a view", List.of("a|4", "b|12"),
                rows(m.getColumns(null, null, "md_view", "%"), "COLUMN_NAME", "DATA_TYPE"));
        checks.equal("columns of a synonym", List.of("md_syn|id", "md_syn|p1", "md_syn|p2", "md_syn|u"),
                rows(m.getColumns(null, null, "md_syn", "%"), "TABLE_NAME", "COLUMN_NAME"));
        checks.equal("version columns", List.of("c3|serial"),
                rows(m.getVersionColumns(null, null, "md_all"), "COLUMN_NAME", "TYPE_NAME"));
    }

    private void tables(DatabaseMetaData m) throws Exception {
        checks.equal("all kinds", List.of("md_syn|SYNONYM", "md_all|TABLE", "md_child|TABLE", "md_parent|TABLE",
                "md_view|VIEW"), rows(m.getTables(null, null, "md%", null), "TABLE_NAME", "TABLE_TYPE"));
        checks.equal("views", List.of("testdb|informix|md_view"),
                rows(m.getTables(null, null, "md%", new String[] {"VIEW"}), "TABLE_CAT", "TABLE_SCHEM", "TABLE_NAME"));
        checks.that("system tables", rows(m.getTables(null, null, "sys%", new String[] {"SYSTEM TABLE"}),
                "TABLE_NAME").containsAll(List.of("systables", "syscolumns", "sysconstraints")));
        checks.that("kinds", rows(m.getTableTypes(), "TABLE_TYPE")
                .containsAll(List.of("SYSTEM TABLE", "SYNONYM", "TABLE", "VIEW")));
        checks.that("schemas", rows(m.getSchemas(), "TABLE_SCHEM").contains("informix"));
        checks.that("catalogs", rows(m.getCatalogs(), "TABLE_CAT").containsAll(List.of("sysmaster", "testdb")));
    }

    private void keys(DatabaseMetaData m) throws Exception {
        checks.equal("primary key", List.of("k1|1|md_pk", "k2|2|md_pk"),
                rows(m.getPrimaryKeys(null, null, "md_parent"), "COLUMN_NAME", "KEY_SEQ", "PK_NAME"));
        String[] names = {"PKTABLE_NAME", "PKCOLUMN_NAME", "FKTABLE_NAME", "FKCOLUMN_NAME", "KEY_SEQ", "DELETE_RULE",
            "FK_NAME", "PK_NAME"};
        String cascade = String.valueOf(DatabaseMetaData.importedKeyCascade);
        List<String> key = List.of("md_parent|k1|md_child|p1|1|" + cascade + "|md_fk|md_pk",
                "md_parent|k2|md_child|p2|2|" + cascade + "|md_fk|md_pk");
        checks.equal("imported", key, rows(m.getImportedKeys(null, null, "md_child"), names));
        checks.equal("exported", key, rows(m.getExportedKeys(null, null, "md_parent"), names));
        checks.equal("cross reference", key,
                rows(m.getCrossReference(null, null, "md_parent", null, null, "md_child"), names));
        checks.equal("no key", List.of(), rows(m.getImportedKeys(null, null, "md_parent"), names));
        checks.equal("best identifier", List.of("id|serial"),
                rows(m.getBestRowIdentifier(null, null, "md_child", DatabaseMetaData.bestRowSession, true),
                        "COLUMN_NAME", "TYPE_NAME"));
    }

    private void indexes(DatabaseMetaData m) throws Exception {
        String[] names = {"NON_UNIQUE", "ORDINAL_POSITION", "COLUMN_NAME"};
        List<String> all = rows(m.getIndexInfo(null, null, "md_child", false, true), names);
        checks.equal("all", List.of("0|1|id", "0|1|u", "1|1|p1", "1|1|p1", "1|2|p2", "1|2|u"),
                all.stream().sorted().toList());
        checks.that("by name", rows(m.getIndexInfo(null, null, "md_child", false, true), "INDEX_NAME",
                "ORDINAL_POSITION", "COLUMN_NAME").containsAll(List.of("md_ix|1|p1", "md_ix|2|u")));
        checks.equal("unique ones", List.of("0|1|k1", "0|2|k2"),
                rows(m.getIndexInfo(null, null, "md_parent", true, true), names));
    }

    private void routines(DatabaseMetaData m) throws Exception {
        checks.equal("procedures", List.of("md_add|" + DatabaseMetaData.procedureReturnsResult,
                "md_proc|" + DatabaseMetaData.procedureNoResult,
                "md_two|" + DatabaseMetaData.procedureReturnsResult),
                rows(m.getProcedures(null, null, "md%"), "PROCEDURE_NAME", "PROCEDURE_TYPE"));
        // The result first: the driver takes TYPE_NAME from a list that begins with the results.
        String[] names = {"COLUMN_NAME", "COLUMN_TYPE", "DATA_TYPE", "TYPE_NAME", "PRECISION", "SCALE", "LENGTH"};
        checks.equal("parameters", List.of("|3|3|decimal|10|2|6", "a|1|4|integer|10|0|4", "b|1|3|decimal|8|2|5"),
                rows(m.getProcedureColumns(null, null, "md_add", "%"), names));
        checks.equal("parameters of a procedure", List.of("a|1|12|varchar|10|0|11"),
                rows(m.getProcedureColumns(null, null, "md_proc", "%"), names));
        checks.equal("several results", List.of("|3|4|integer|10|0|4", "|3|12|varchar|20|0|21", "d|1|91|date|10|0|4"),
                rows(m.getProcedureColumns(null, null, "md_two", "%"), names));
        checks.that("functions", rows(m.getFunctions(null, null, "md%"), "FUNCTION_NAME").contains("md_add"));
        checks.that("parameters of functions", rows(m.getFunctionColumns(null, null, "md_add", "%"), "COLUMN_NAME",
                "TYPE_NAME").containsAll(List.of("a|integer", "b|decimal")));
    }

    private void privileges(DatabaseMetaData m) throws Exception {
        // The driver tells the grantee in the place of the grantor too, and misspells the column's name.
        String[] names = {"GRANTEE", "PRIVELEGE", "IS_GRANTABLE"};
        List<String> table = rows(m.getTablePrivileges(null, null, "md_child"), names);
        for (String privilege : List.of("SELECT", "UPDATE", "INSERT", "DELETE", "INDEX")) {
            checks.that("public has " + privilege + " in " + table, table.contains("public|" + privilege + "|NO"));
        }
        checks.that("somebody in " + table, table.containsAll(
                List.of("somebody|SELECT|NO", "somebody|UPDATE|NO")));
        checks.that("but not all of it", !table.contains("somebody|DELETE|NO"));
        List<String> column = rows(m.getColumnPrivileges(null, null, "md_child", "p1"), "COLUMN_NAME", "GRANTEE",
                "PRIVELEGE");
        // The driver tells the first grantee only.
        checks.equal("column privileges", List.of("p1|public|SELECT", "p1|public|UPDATE"), column);
    }

    private void rest(DatabaseMetaData m) throws Exception {
        checks.that("type information", rows(m.getTypeInfo(), "TYPE_NAME").size() > 20);
        checks.equal("user types", List.of(), rows(m.getUDTs(null, null, "%", null), "TYPE_NAME"));
        checks.equal("super tables", List.of(), rows(m.getSuperTables(null, null, "md%"), "TABLE_NAME"));
        checks.equal("attributes", List.of(), rows(m.getAttributes(null, null, "%", "%"), "ATTR_NAME"));
        checks.equal("product", "IBM Informix Dynamic Server", m.getDatabaseProductName());
        checks.that("version " + m.getDatabaseProductVersion(), m.getDatabaseMajorVersion() >= 14);
        checks.that("transactions", m.supportsTransactions() && m.supportsSavepoints());
        checks.equal("user", "informix", m.getUserName());
    }
}
