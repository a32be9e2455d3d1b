import io.siddhi.core.SiddhiAppRuntime;
import io.siddhi.core.SiddhiManager;
import io.siddhi.core.stream.input.InputHandler;
import io.siddhi.core.stream.output.StreamCallback;

/** The patterns in SiddhiQL, a partition for each symbol. */
public final class Siddhi {
    private static final String STREAM = "define stream S (ts long, kind string, symbol string, price double);";
    private static final int BATCH = 1024;

    public static void main(String[] arguments) throws Exception {
        Peer.serve(arguments, Siddhi::count);
    }

    private static long count(String name) throws Exception {
        long[] count = new long[1];
        SiddhiManager siddhi = new SiddhiManager();
        SiddhiAppRuntime app = siddhi.createSiddhiAppRuntime(text(name));
        app.addCallback("Found", new StreamCallback() {
            @Override
            public void receive(io.siddhi.core.event.Event[] found) {
                count[0] += found.length;
            }
        });
        app.start();
        feed(app.getInputHandler("S"));
        app.shutdown();
        siddhi.shutdown();
        return count[0];
    }

    private static void feed(InputHandler handler) throws InterruptedException {
        for (int start = 0; start < Peer.events.length; start += BATCH) {
            int size = Math.min(BATCH, Peer.events.length - start);
            io.siddhi.core.event.Event[] batch = new io.siddhi.core.event.Event[size];
            for (int i = 0; i < size; i++) {
                Event event = Peer.events[start + i];
                Object[] values = {event.ts, event.kind, event.symbol, event.price};
                batch[i] = new io.siddhi.core.event.Event(event.ts, values);
            }
            handler.send(batch);
        }
    }

    private static String text(String name) {
        switch (name) {
            case "source":
                return "@app:playback " + STREAM + "from S[kind == 'none'] select ts insert into Found;";
            case "QA next":
                return partitioned("every a=S[kind == 'A'] -> b=S[kind == 'B' and price > a.price] within 10 sec "
                        + "select a.symbol, a.ts as first, b.ts as last insert into Found;");
            case "QA any":  // a pattern takes one b for each a: all of them are a join
                return partitioned("S[kind == 'B']#window.length(1) as b unidirectional "
                        + "join S[kind == 'A']#window.externalTime(ts, 10 sec) as a "
                        + "on b.price > a.price and b.ts - a.ts <= 10000L "
                        + "select a.symbol, a.ts as first, b.ts as last insert into Found;");
            case "QB":
                return partitioned("every a=S[kind == 'A' and price > 800.0] "
                        + "-> b=S[kind == 'B' and price > a.price] -> c=S[kind == 'C' and price < a.price] "
                        + "within 10 sec select a.symbol, a.ts as first, c.ts as last insert into Found;");
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private static String partitioned(String query) {
        return "@app:playback " + STREAM + "partition with (symbol of S) begin from " + query + " end;";
    }

    private Siddhi() {}
}
