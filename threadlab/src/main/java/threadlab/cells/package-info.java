/** What the text, the class files and the values of cells are; knows neither Jupyter nor JShell. */
package threadlab.cells;
