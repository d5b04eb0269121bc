package threadlab.widget;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.dflib.jjava.jupyter.kernel.comm.Comm;
import org.dflib.jjava.jupyter.kernel.comm.CommManager;
import org.dflib.jjava.jupyter.messages.Message;
import org.dflib.jjava.jupyter.messages.MessageContext;
import org.dflib.jjava.jupyter.messages.comm.CommCloseCommand;
import org.dflib.jjava.jupyter.messages.comm.CommMsgCommand;
import org.dflib.jjava.jupyter.messages.comm.CommOpenCommand;
import org.dflib.jjava.shaded.com.google.gson.JsonArray;
import org.dflib.jjava.shaded.com.google.gson.JsonObject;

/**
 * JJava's connections to widgets, usable from any thread: its own has maps and a context for one thread, and cannot send
 * the protocol's version, without which a page refuses a widget. A kernel passes one to JJava's constructor.
 */
public final class Comms extends CommManager {

    private static final String TARGET = "jupyter.widget";
    /** The connection on which a page that was loaded again asks for all widgets. */
    private static final String CONTROL = TARGET + ".control";

    private static final Map<String, Object> PROTOCOL = Map.of("version", "2.1.0");

    private volatile MessageContext cell;

    /** Without connections, until the kernel has a channel. */
    public Comms() {
        targets = new ConcurrentHashMap<>();
        comms = new ConcurrentHashMap<>();
        registerTarget(CONTROL, (_, id, _, _) -> new Control(id));
    }

    /** Messages of widgets belong to the cell that runs or, between cells, to the latest one. */
    @Override
    public void setMessageContext(MessageContext context) {
        super.setMessageContext(context);
        cell = context;
    }

    /** Whether there is a page to speak to. */
    boolean connected() {
        return iopub != null;
    }

    /** Opens a widget's connection with the state that the page begins with. */
    void open(WidgetComm comm, JsonObject state) {
        comms.put(comm.getID(), comm); // before the page can answer
        var command = new CommOpenCommand(comm.getID(), TARGET, data(state));
        // JJava leaves a message with an empty list of buffers unfinished, so none is given
        iopub.sendMessage(new Message<>(cell, CommOpenCommand.MESSAGE_TYPE, command, null, PROTOCOL));
    }

    /**
     * Sends something to all pages.
     *
     * @param cause the message that it answers; null for none
     */
    void send(String id, JsonObject data, MessageContext cause) {
        var command = new CommMsgCommand(id, data);
        iopub.sendMessage(new Message<>(cause == null ? cell : cause, CommMsgCommand.MESSAGE_TYPE, command));
    }

    /** What the page expects of a message that carries state. */
    static JsonObject data(JsonObject state) {
        var data = new JsonObject();
        data.add("state", state);
        data.add("buffer_paths", new JsonArray());
        return data;
    }

    /** A widget's connection. */
    abstract static class WidgetComm extends Comm {

        WidgetComm(Comms comms, String id) {
            super(comms, id, TARGET);
        }

        /** All that a page needs to know of the widget, as it stands now. */
        abstract JsonObject state();
    }

    private final class Control extends Comm {

        Control(String id) {
            super(Comms.this, id, CONTROL);
        }

        @Override
        protected void onMessage(Message<CommMsgCommand> message) {
            var states = new JsonObject();
            for (var comm : Comms.this) {
                if (comm instanceof WidgetComm widget) {
                    var state = widget.state();
                    var known = new JsonObject();
                    for (var part : List.of("name", "module", "module_version")) {
                        known.add("model_" + part, state.get("_model_" + part));
                    }
                    known.add("state", state);
                    states.add(widget.getID(), known);
                }
            }
            var data = new JsonObject();
            data.addProperty("method", "update_states");
            data.add("states", states);
            data.add("buffer_paths", new JsonArray());
            Comms.this.send(getID(), data, message);
        }

        @Override
        protected void onClose(Message<CommCloseCommand> message, boolean sending) {
            // it keeps nothing
        }
    }
}
