/** Experiments that go on after their cell, with sliders and buttons, and what Little's law says of them meanwhile. */
package threadlab.running;
