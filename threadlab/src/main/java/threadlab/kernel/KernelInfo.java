package threadlab.kernel;

import org.dflib.jjava.jupyter.channels.JupyterSocket;
import org.dflib.jjava.jupyter.channels.ShellHandler;
import org.dflib.jjava.jupyter.channels.ShellReplyEnvironment;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import org.dflib.jjava.jupyter.kernel.LanguageInfo;
import org.dflib.jjava.jupyter.messages.Header;
import org.dflib.jjava.jupyter.messages.Message;
import org.dflib.jjava.jupyter.messages.publish.PublishStatus;
import org.dflib.jjava.jupyter.messages.reply.KernelInfoReply;
import org.dflib.jjava.jupyter.messages.request.KernelInfoRequest;

/**
 * Answers the page's request for information on this kernel. JJava's own answer changes a notebook that was only
 * opened, because the page writes the version of Java into it. It also leaves the page without the kernel's state until
 * the first cell has run, because a page ignores a state sent in reply to this request.
 */
final class KernelInfo implements ShellHandler<KernelInfoRequest> {

    /** As little as the notebooks contain, so that opening one changes nothing. */
    private static final LanguageInfo JAVA = new LanguageInfo("java", null, null, null, null, null, null);

    private final BaseKernel kernel;
    private final JupyterSocket cells;

    /** With the channel on which cells are sent: when it answers, no cell runs. */
    KernelInfo(BaseKernel kernel, JupyterSocket cells) {
        this.kernel = kernel;
        this.cells = cells;
    }

    @Override
    public void handle(ShellReplyEnvironment environment, Message<KernelInfoRequest> message) {
        environment.setBusyDeferIdle();
        var name = kernel.getName();
        var version = kernel.getVersion();
        var links = kernel.getHelpLinks();
        environment.reply(new KernelInfoReply(Header.PROTOCOL_VERISON, name, version, JAVA, kernel.getBanner(), links));
        // not if the request comes while a cell runs
        if (environment.getShell() == cells) {
            // without a session the page would refuse it
            var session = message.getHeader().getSessionId();
            environment.publish(new Message<>(new Header<>(session, PublishStatus.MESSAGE_TYPE), PublishStatus.IDLE));
        }
    }
}
