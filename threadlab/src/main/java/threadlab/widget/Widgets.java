package threadlab.widget;

import org.dflib.jjava.jupyter.Extension;
import org.dflib.jjava.jupyter.kernel.BaseKernel;

/** Lets a kernel show a {@link Widget} that is the value of a cell. The kernel finds this class as a service. */
public final class Widgets implements Extension {

    /** Made by the kernel. */
    public Widgets() {}

    @Override
    public void install(BaseKernel kernel) {
        Widget.manager = kernel.getCommManager();
        kernel.getRenderer()
                .createRegistration(Widget.class)
                .preferring(Widget.VIEW)
                .register((widget, context) -> context.getOutputContainer().assign(widget.view()));
    }
}
