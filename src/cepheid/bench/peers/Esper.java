import com.espertech.esper.common.client.EPCompiled;
import com.espertech.esper.common.client.configuration.Configuration;
import com.espertech.esper.compiler.client.CompilerArguments;
import com.espertech.esper.compiler.client.EPCompilerProvider;
import com.espertech.esper.runtime.client.EPEventService;
import com.espertech.esper.runtime.client.EPRuntime;
import com.espertech.esper.runtime.client.EPRuntimeProvider;

/** The patterns in Esper's EPL, on the clock of the events. */
public final class Esper {
    private static final String IN_TIME = " where timer:within(10 sec)]";

    public static void main(String[] arguments) throws Exception {
        Peer.serve(arguments, Esper::count);
    }

    private static long count(String name) throws Exception {
        Configuration configuration = new Configuration();
        configuration.getCommon().addEventType(Event.class);
        configuration.getRuntime().getThreading().setInternalTimerEnabled(false);
        EPCompiled compiled =
                EPCompilerProvider.getCompiler().compile(text(name), new CompilerArguments(configuration));
        EPRuntime runtime = EPRuntimeProvider.getRuntime(name, configuration);
        runtime.initialize();
        EPEventService service = runtime.getEventService();
        service.clockExternal();
        service.advanceTime(0);
        long[] count = new long[1];
        runtime.getDeploymentService().deploy(compiled).getStatements()[0].addListener(
                (found, gone, statement, of) -> {
                    for (var row : found) {
                        count[0] += row.get("first") == null ? 0 : 1;
                    }
                });
        for (Event event : Peer.events) {
            service.advanceTime(event.ts);
            service.sendEventBean(event, "Event");
        }
        runtime.destroy();
        return count[0];
    }

    private static String text(String name) {
        String above = "b=Event(kind = 'B', symbol = a.symbol, price > a.price)";
        switch (name) {
            case "source":
                return "select ts as first from Event(kind = 'none')";
            case "QA next":
                return found("b") + "every a=Event(kind = 'A') -> " + above + IN_TIME;
            case "QA any":
                return found("b") + "every a=Event(kind = 'A') -> ((every " + above + ")" + IN_TIME.replace("]", ")]");
            case "QB":
                return found("c") + "every a=Event(kind = 'A', price > 800) -> ((" + above
                        + " -> c=Event(kind = 'C', symbol = a.symbol, price < a.price))" + IN_TIME.replace("]", ")]");
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private static String found(String last) {
        return "select a.symbol as symbol, a.ts as first, " + last + ".ts as last from pattern [";
    }

    private Esper() {}
}
