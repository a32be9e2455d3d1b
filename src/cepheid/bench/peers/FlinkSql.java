import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/** The patterns in Flink's SQL, on event time. */
public final class FlinkSql {
    public static void main(String[] arguments) throws Exception {
        Peer.serve(arguments, FlinkSql::count);
    }

    private static long count(String name) throws Exception {
        StreamExecutionEnvironment flink = FlinkStream.environment();
        StreamTableEnvironment tables = StreamTableEnvironment.create(flink);
        Schema schema =
                Schema.newBuilder()
                        .column("symbol", "STRING")
                        .column("kind", "STRING")
                        .column("price", "DOUBLE")
                        .columnByMetadata("rowtime", "TIMESTAMP_LTZ(3)")
                        .watermark("rowtime", "SOURCE_WATERMARK()")
                        .build();
        tables.createTemporaryView("events", FlinkStream.source(flink), schema);
        Table asked = tables.sqlQuery(text(name));
        return FlinkStream.counted(flink, tables.toDataStream(asked));
    }

    /** SQL knows neighbours alone: what may lie between is a variable of its own, that fits what the next does not. */
    private static String text(String name) {
        switch (name) {
            case "source":
                return "SELECT symbol, kind, price, rowtime FROM events";
            case "QA next":
                return matches(
                        "B.rowtime",
                        "A X* B",
                        "A AS A.kind = 'A', X AS NOT (X.kind = 'B' AND X.price > A.price), "
                                + "B AS B.kind = 'B' AND B.price > A.price");
            case "QB":
                return matches(
                        "C.rowtime",
                        "A X* B Y* C",
                        "A AS A.kind = 'A' AND A.price > 800, "
                                + "X AS NOT (X.kind = 'B' AND X.price > A.price), "
                                + "B AS B.kind = 'B' AND B.price > A.price, "
                                + "Y AS NOT (Y.kind = 'C' AND Y.price < A.price), "
                                + "C AS C.kind = 'C' AND C.price < A.price");
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private static String matches(String last, String pattern, String define) {
        return "SELECT symbol, a, z FROM events MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY rowtime "
                + "MEASURES A.rowtime AS a, " + last + " AS z ONE ROW PER MATCH AFTER MATCH SKIP TO NEXT ROW "
                + "PATTERN (" + pattern + ") WITHIN INTERVAL '10' SECOND DEFINE " + define + ")";
    }

    private FlinkSql() {}
}
