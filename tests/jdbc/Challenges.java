import com.informix.jdbc.IfmxPAM;
import com.informix.jdbc.IfxPAMChallenge;
import com.informix.jdbc.IfxPAMResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Logins that go on with questions, answered by a class of the application (IFX_PAM_CLASS). */
final class Challenges {
    private final Checks checks;
    private final Server server;

    Challenges(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    /** What the driver was asked, `type prompt`. */
    private static final List<String> ASKED = Collections.synchronizedList(new ArrayList<>());

    /** Answers each question by its last word. Made by the driver. */
    public static final class Answers implements IfmxPAM {
        /** For the driver. */
        public Answers() {}

        @Override
        public IfxPAMResponse IfxPAM(IfxPAMChallenge challenge) {
            ASKED.add(challenge.getChallengeType() + " " + challenge.getChallenge());
            IfxPAMResponse response = new IfxPAMResponse();
            response.setResponse(challenge.getChallenge().replaceFirst(".* ", ""));
            return response;
        }
    }

    void run() {
        checks.section("questions of the login", this::answered);
    }

    private void answered() throws Exception {
        String[] questions = {"--challenge", "say blue=blue", "--challenge", "say 4711=4711"};
        try (Server asking = server.another(questions); Server wrong = server.another("--challenge", "say yes=no")) {
            if (asking == null) {
                return;
            }
            String answers = "IFX_PAM_CLASS=" + Answers.class.getName();
            try (Connection c = asking.connect("testdb", answers)) {
                checks.equal("asked", "[1 say blue, 1 say 4711]", ASKED.toString());
                checks.equal("let in", 1, Connecting.one(c, "select tabid from systables where tabid = 1"));
            }
            ASKED.clear();
            // The login's password is not looked at.
            DriverManager.getConnection(asking.url("testdb", answers), "informix", "nonsense").close();
            checks.equal("asked again", 2, ASKED.size());
            checks.fails("an unknown user", -951,
                    () -> DriverManager.getConnection(asking.url("testdb", answers), "nobody", "x").close());
            checks.fails("a wrong answer", -79885, () -> wrong.connect("testdb", answers).close());
            checks.failsWith("no class to answer", "PAM", () -> asking.connect().close());
        }
    }
}
