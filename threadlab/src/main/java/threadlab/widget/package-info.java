/**
 * Jupyter widgets made by Java: a model with state here, a view on the page, written as a JavaScript module. It knows
 * JJava and the page's package anywidget, and nothing of this course: {@code threadlab/widgets.md} says how to use it.
 */
package threadlab.widget;
