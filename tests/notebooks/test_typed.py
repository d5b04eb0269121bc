"""What people type, and what they must then see: nothing is lost, silent or hung. Takes half a minute.

After each case the next cell answers, prints, and finds the variables of the first cell as they were.
"""

import re
import time
from collections.abc import Iterator
from typing import NamedTuple

import psutil
import pytest
from notebooks.runs import until
from typist import Answer, Desk, Interrupt, Typed, Wait

FIRST = """
import java.util.concurrent.locks.*;
import org.knowm.xchart.*;
int number = 7;
var kept = new ArrayList<>(List.of(1, 2));
record Tea(String name) {}
var tea = new Tea("green");
double[] xs = {1, 2};
"""
NEXT = 'IO.println("said"); List.of(1 + 1, number, kept, tea)'
UNCHANGED = "said\n«text/plain» [2, 7, [1, 2], Tea[name=green]]"

# A row is a case: its name, then marks in any order, on as many indented lines as it needs.
#   ▷ a cell             ✔ a pattern that the page shows     ✋ an interrupt after s seconds, or after 0.4
#   ≤ s for each cell    ✘ a pattern that it does not show   ⌨ what is typed when the cell reads
#   ⚙ another kernel     ≡ an expression → its text          ⏱ s of waiting
# ⏎ is a line end, ␍ that of Windows, ⇥ a tab, ⍽ a space that is none to Java; … in a pattern is any text, and
# capitals make no difference. What stands after # holds for the rows below it. On the page, «2» stands before
# what cell 2 shows, «error» before an error's name and message, «text/plain» and such before a value.
TYPED = r'''
# imports ✘ «error»
a comment above an import ▷ // c⏎import java.util.zip.*; ≡ new CRC32().getValue() → 0
a block comment above an import ▷ /* c */⏎import java.util.zip.*; ≡ new Adler32().getValue() → 1
a comment between imports ▷ import java.util.jar.*;⏎// c⏎import java.text.*; ≡ new JarEntry("a") → a
an import on two lines ▷ import⏎  java.util.jar.*; ≡ new JarEntry("b") → b
a name on two lines ▷ import java.⏎  util.jar.*; ≡ new JarEntry("c") → c
a comment inside an import ▷ import java.util./* all */zip.*; ≡ new CRC32().getValue() → 0
a comment after an import ▷ import java.text.*; // numbers ≡ new ChoiceFormat("0#a").format(0) → a
a line's comment inside an import ▷ import java.util // c⏎  .zip.*; ≡ new CRC32().getValue() → 0
line ends of Windows ▷ // c␍⏎import java.text.*;␍⏎var crlf = 3;␍⏎ ≡ crlf → 3
tabs around an import ▷ ⇥import⇥java.util.zip.*⇥;⇥ ≡ new CRC32().getValue() → 0
empty lines above an import ▷ ⏎⏎  ⏎  import java.util.zip.*;⏎⏎ ≡ new CRC32().getValue() → 0
two imports on a line ▷ import java.util.zip.*; /* c */ import java.util.jar.*; ≡ new JarEntry("d") → d
a static import ▷ // c⏎import static java.lang.Math.*; ≡ max(3, 4) → 4
a static import on two lines ▷ import static⏎java.lang.Math.floorMod; ≡ floorMod(7, 4) → 3
a module ▷ // c⏎import module java.sql; ≡ Types.BIT → -7
an import and a lone semicolon ▷ import java.util.zip.*;; ≡ new CRC32().getValue() → 0
an import without a semicolon ▷ // c⏎import java.util.zip.CRC32 ≡ new CRC32().getValue() → 0
letters of other scripts ▷ // ☕ täglich 😀⏎import java.util.zip.*; ≡ new CRC32().getValue() → 0
an escape ▷ import java.util.\u007aip.*; ≡ new CRC32().getValue() → 0
Javadoc above import and class ▷ /** Tea. */⏎import java.text.*;⏎/** Sells. */⏎class Kiosk {}
    ≡ new Kiosk() != null → true
an import behind code ▷ int behind = 4; /* c */ import java.util.zip.*; // d⏎behind++; ≡ behind → 5
an import twice ▷ // c⏎import java.util.zip.*; ▷ ⏎/* d */ import java.util.zip.*;
    ≡ new CRC32().getValue() → 0
an import in a comment ▷ /*⏎import java.nowhere.*;⏎*/⏎var commented = 1; ≡ commented → 1
an import in a text block ▷ var quoted = """⏎  // c⏎  import java.nowhere.*;⏎  """;
    ≡ quoted.lines().count() → 2

# values
a list in itself ▷ var self = new ArrayList<Object>();⏎self.add(self);⏎self ✔ \(this
a list in itself as a declaration ▷ List<Object> ring = new LinkedList<>();⏎ring.add(ring); ▷ ring ✔ \(this
a map in itself ▷ var m = new HashMap<String, Object>();⏎m.put("m", m);⏎m ✔ \((this|an outer) map
two lists in each other
    ▷ var left = new ArrayList<Object>();⏎var right = new ArrayList<Object>(List.of(left));⏎
      left.add(right);⏎left ✔ \(an outer list
an array in itself ▷ Object[] loop = new Object[1];⏎loop[0] = loop;⏎loop ✔ «1»
a record in itself
    ▷ record Knot(List<Object> in) {}⏎var knot = new Knot(new ArrayList<>());⏎knot.in().add(knot);⏎knot
    ✔ StackOverflowError
toString throws an Error
    ▷ class Rude { public String toString() { throw new AssertionError("rude"); } }⏎new Rude()
    ✔ AssertionError ✔ rude
toString throws an exception
    ▷ class Shy { public String toString() { throw new IllegalStateException("shy"); } }⏎new Shy()
    ✔ IllegalStateException ✔ shy
toString returns null ▷ class Blank { public String toString() { return null; } }⏎new Blank() ✔ null
hashCode throws
    ▷ class Odd { public int hashCode() { throw new Error("odd"); } public String toString() {
      return "an odd"; } }⏎new Odd() ✔ an odd ✘ «error»
equals throws
    ▷ class Sole { public boolean equals(Object o) { throw new Error("sole"); } public String toString() {
      return "a sole"; } }⏎new Sole() ✔ a sole ✘ «error»
an exception as a value ▷ new IllegalStateException("only shown") ✔ only shown ✘ «error»
an endless iterator ▷ Iterable<Integer> endless = () -> Stream.iterate(1, i -> i + 1).iterator();⏎endless
    ✔ «1» ✘ «error»

# errors
an Error ▷ throw new Error("bare") ✔ «error» Error: bare
an assertion's ▷ throw new AssertionError("two is three") ✔ «error» AssertionError: two is three
an assertion ▷ assert 1 > 2 : "no";
one without a message ▷ throw new IllegalStateException(); ✔ «error» IllegalStateException: ?$
null ▷ throw null; ✔ «error» NullPointerException
the flag of an interrupt ▷ Thread.currentThread().interrupt();⏎Thread.sleep(1); ✔ «error» InterruptedException
of the reader's own class
    ▷ class Closed extends RuntimeException { Closed(String why) { super(why); } }⏎
      throw new Closed("at five"); ✔ «error» Closed: at five ✘ REPL\.\$JShell
getMessage throws
    ▷ class Mute extends RuntimeException { public String getMessage() { throw new Error("mute"); } }⏎
      throw new Mute(); ✔ Mute
toString of the exception throws
    ▷ class Veil extends RuntimeException { public String toString() { throw new Error("veil"); } }⏎
      throw new Veil(); ✔ Veil
a static initializer ▷ class Jar { static int lids = 1 / 0; }⏎Jar.lids ✔ «error» ExceptionInInitializerError
    ✔ ArithmeticException: / by zero ✔ line 1 of this cell
a class whose initializer has failed ▷ class Lid { static int n = 1 / 0; }⏎Lid.n ▷ Lid.n
    ✔ «error» NoClassDefFoundError ✔ ArithmeticException
endless recursion ▷ int deep(int n) { return deep(n + 1) + 1; }⏎deep(0) ✔ «error» StackOverflowError
    ✘ (\bdeep\b[^\n]*\n){200}
an OutOfMemoryError of the reader's ▷ throw new OutOfMemoryError("mine") ✔ «error» OutOfMemoryError: mine
an array that no heap can hold ▷ new int[Integer.MAX_VALUE] ✔ «error» OutOfMemoryError
a cause ▷ throw new IllegalStateException("outer", new java.io.IOException("inner"));
    ✔ «error» IllegalStateException: outer ✔ Caused by: .*IOException: inner
causes in a circle
    ▷ var a = new Exception("first");⏎var b = new Exception("second", a);⏎a.initCause(b);⏎throw a;
    ✔ «error» Exception: first ✔ Caused by: .*second
what was suppressed
    ▷ class Door implements AutoCloseable { public void close() {
      throw new IllegalArgumentException("jammed"); } }⏎try (var door = new Door()) {
      throw new IllegalStateException("locked"); } ✔ «error» IllegalStateException: locked
    ✔ Suppressed: .*IllegalArgumentException: jammed
a line of this cell ▷ int some = 1;⏎int none = 0;⏎⏎System.out.println(some / none);
    ✔ «error» ArithmeticException: / by zero ✔ line 4 of this cell ✘ REPL\.\$JShell
a line of another cell ▷ int divide(int a, int b) {⏎  return a / b;⏎} ▷ ⏎divide(1, 0)
    ✔ line 2 of cell \[\d+\], in divide ✔ line 2 of this cell ✘ REPL\.\$JShell
in a stream ▷ Stream.of(2, 1)⏎  .map(i -> 1 / (i - 1))⏎  .toList() ✔ «error» ArithmeticException
    ✔ line 2 of this cell ✘ (\n[^\n]*java\.util\.stream[^\n]*){4}
in a second snippet ▷ var early = 1; var late = early; throw new IllegalStateException("here");
    ✔ line 1 of this cell
null in words ▷ String nothing = null;⏎nothing.length() ✔ «error» NullPointerException ✔ "nothing" is null
    ✔ line 2 of this cell ✘ REPL\.\$JShell
a cast ▷ Object text = "5";⏎(Integer) text ✔ «error» ClassCastException ✔ line 2 of this cell
an index ▷ List.of(1).get(1) ✔ «error» (Array)?IndexOutOfBoundsException ✔ line 1 of this cell
printed by the reader
    ▷ try { Integer.parseInt("x"); } catch (NumberFormatException e) { e.printStackTrace(); }
    ✔ NumberFormatException: For input string: "x" ✘ «error»

# compiler
an unknown package ▷ // c⏎⏎import java.utl.*; ✔ «error» ✔ java.utl does not exist ✔ line 3\b
an unknown name ▷ int first = 1;⏎⏎int third = first + second; ✔ «error» ✔ cannot find symbol ✔ line 3\b
    ✔ second ✔ ^\s*\^ ≡ first → 1
a space copied from a page ▷ // c⏎int⍽copied = 3; ✔ illegal character ✔ line 2\b
quotes copied from a page ▷ var copied = “tea”; ✔ illegal character ✔ line 1\b
a wrong type ▷ // c⏎int wrong = "x"; ✔ incompatible types ✔ line 2\b ✔ ^\s*\^
an unknown class ▷ ⏎Sting word = null; ✔ Sting ✔ line 2\b
an unknown method ▷ "tea".lenght() ✔ lenght ✔ line 1\b ✔ ^\s*\^
no semicolon ▷ int one = 3⏎int two = 4; ✔ «error» ✔ ';' expected ✔ line 1\b
no closing bracket ▷ int open = 1;⏎for (int i = 0; i < 3; i++) {⏎  open++; ✔ «error»
    ✔ incomplete|reached end|never closed|missing ✔ line 2\b
one bracket too many ▷ int closed = 1;⏎} ✔ «error» ✔ line 2\b
no closing quote ▷ var said = "tea;⏎var more = 1; ✔ «error» ✔ unclosed string literal ✔ line 1\b
no closing comment ▷ int before = 1;⏎/* and then ✔ comment|incomplete
a text block that stays open ▷ var block = """⏎  tea ✔ text block|incomplete
a package ▷ package shop;⏎int inside = 1; ✔ «error» ✔ package ✔ line 1\b
a package and a class ▷ package shop.orders;⏎⏎public class Till { int cents = 5; } ✔ «error» ✔ package
    ✔ \bcell
the result of a return ▷ return 3; ✔ return|«text/plain» 3
a return in a block ▷ if (number > 3) { return 3; } ✔ return|«text/plain» 3
a checked exception in a Runnable ▷ Runnable rest =⏎  () -> Thread.sleep(1);
    ✔ unreported exception .*InterruptedException ✔ line 2\b
a variable that changes in a lambda
    ▷ for (int i = 0; i < 2; i++) {⏎  Runnable r = () -> System.out.println(i);⏎} ✔ effectively final
    ✔ line 2\b
a preview feature ▷ Object small = 5;⏎switch (5) { case byte b -> 1; default -> 2; } ✔ «text/plain» 1|preview
sealed without permits
    ▷ sealed interface Shape {}⏎record Circle(double r) implements Shape {}⏎
      record Square(double s) implements Shape {} ✔ permits ✔ Shape
sealed with permits
    ▷ sealed interface Form permits Ring, Box {}⏎record Ring(double r) implements Form {}⏎
      record Box(double s) implements Form {}⏎Form form = new Ring(2);
    ▷ switch (form) { case Ring r -> r.r(); case Box b -> b.s(); } ✔ «text/plain» 2.0 ✘ «error»
    ✘ cannot be used
a missing return ▷ int never() {⏎  number++;⏎  number--;⏎} ✔ missing return statement ✔ line 4\b
a keyword as a name ▷ int class = 3; ✔ «error» ✔ line 1\b
two errors in a method ▷ int twice() {⏎  int a = "x";⏎  return b;⏎} ✔ «error» ✔ incompatible types ✔ line 2\b
    ✔ line 3\b
an error behind statements that ran ▷ System.out.println("ran");⏎int x1 = 1;⏎foo(); ✔ \bran\b ✔ foo
    ✔ line 3\b
a line with tabs and emoji ▷ ⇥var face = "😀"; int wrongFace = face; ✔ incompatible types ✔ line 1\b
unknown in a line of CRLF ▷ int w1 = 1;␍⏎␍⏎int w3 = nowhere;␍⏎ ✔ nowhere ✔ line 3\b
a warning ▷ List raw = new ArrayList(); raw.add(1); raw ✔ \[1\] ✘ «error»
void main ▷ void main() { IO.println("from main"); } ▷ main() ✔ «2» from main ✘ «error»
a class Main
    ▷ public class Main {⏎  public static void main(String[] args) {⏎    System.out.println("run");⏎  }⏎}
    ▷ Main.main(new String[0]) ✔ «2» run ✘ «error»

# declarations
another type ▷ int cups = 3; ▷ String cups = "three"; ✘ «error» ≡ cups → three
another initializer ▷ int base = 2; int twofold = base * 2; ▷ int base = 5; ✘ reset ≡ twofold → 4 ≡ base → 5
another initializer, objects ▷ var t = List.of(1, 2); var rows = new ArrayList<>(t); ▷ var t = List.of(3);
    ✘ reset ≡ rows → [1, 2] ≡ t → [3]
another type under an object ▷ int size = 2; List<Integer> sizes = List.of(size); ▷ long size = 6; ✘ reset
    ≡ sizes → [2] ≡ size → 6
another type, and so of a var ▷ int width = 2; var widths = List.of(width); ▷ long width = 6;
    ▷ widths == null ✔ widths was reset because width changed|«3» «text/plain» false ≡ width → 6
the same once more ▷ int again = 2; int more = again + 1; ▷ int again = 2; int more = again + 1; ✘ reset
    ✘ «error» ≡ again → 2 ≡ more → 3
a class ▷ class Order { int n = 1; }⏎var order = new Order(); var orders = List.of(order);
    ▷ class Order { int n = 2; } ✔ order, orders were reset because Order changed
    ✔ run cell \[\d+\] again ≡ order == null → true ≡ new Order().n → 2
a record ▷ record Pair(int a, int b) {}⏎var pair = new Pair(1, 2); ▷ record Pair(int a, int b, int c) {}
    ✔ \bpair was reset because Pair changed ✔ run cell \[\d+\] again ≡ pair == null → true
    ≡ new Pair(1, 2, 3) → Pair[a=1, b=2, c=3]
an enum ▷ enum Size { SMALL, BIG }⏎var chosen = Size.BIG; ▷ enum Size { SMALL, MIDDLE, BIG }
    ✔ \bchosen was reset because Size changed ≡ chosen == null → true ≡ Size.values().length → 3
an interface ▷ interface Priced { int cents(); }⏎Priced priced = () -> 5;
    ▷ interface Priced { long cents(); } ✔ \bpriced was reset because Priced changed ≡ priced == null → true
a generic class ▷ class Shelf<T> { T on; Shelf(T on) { this.on = on; } }⏎var shelf = new Shelf<>("tea");
    ▷ class Shelf<T> { T on; Shelf(T on) { this.on = on; } T get() { return on; } }
    ✔ \bshelf was reset because Shelf changed ≡ new Shelf<>(4).get() → 4
a class and then an interface ▷ class Part { class Screw {} }
    ▷ interface Part { static Part of() { return new Part() {}; } } ✘ «error» ≡ Part.of() != null → true
six variables of a class
    ▷ class Cup {}⏎var c1 = new Cup(); var c2 = new Cup(); var c3 = new Cup(); var c4 = new Cup();⏎
      var c5 = List.of(c1); var c6 = new Cup[] {c1}; ▷ class Cup { int n; } ✔ \bc1\b ✔ \bc4\b ✔ \bc6\b
    ✘ (because[^\n]*\n…){3}
a variable before its class ▷ Tray tray; ▷ class Tray {} ▷ tray = new Tray(); ▷ int tray = "x";
    ✔ «4» «error»…incompatible types ≡ tray != null → true
a variable of no class, declared anew ▷ Nobody one; ▷ int one = "x"; ▷ int one = 5; ✔ «2» «error»…incompatible
    ≡ one → 5
a class named like an import ▷ import java.util.Formatter; ▷ class Formatter { int n = 3; }
    ✔ java.util.Formatter is no longer imported ≡ new Formatter().n → 3
an import named like a class ▷ class Observable { int n = 4; } ▷ import java.util.Observable; ✔ «2» «error»
    ✔ Observable ≡ new Observable().n → 4
a constructor of a record ▷ record Span(int a) { Span { a++; } } ✔ «error» ✔ write public
a class and its variable together ▷ class Lot { int n = 1; }⏎var lot = new Lot();
    ▷ class Lot { int n = 2; }⏎var lot = new Lot(); ✘ lot was reset ≡ lot.n → 2
the same class once more ▷ class Stay { int n = 1; }⏎var stay = new Stay();
    ▷ class Stay { int n = 1; }⏎String.valueOf(stay == null)
    ✔ stay was reset because Stay changed|«text/plain» false
a method's body ▷ int price() { return 1; }⏎int pay() { return price() * 2; } ▷ int price() { return 5; }
    ✘ «error» ✘ cannot be used ≡ pay() → 10
a method's return type ▷ int cost() { return 1; }⏎int total() { return cost() * 2; }
    ▷ String cost() { return "free"; } ▷ total()
    ✔ total\b.*cannot be used|cannot be used.*total|total[^\n]*cost ✔ «3» «error» ≡ cost() → free
a method's return type, and its user then ▷ int fee() { return 1; }⏎int fees() { return fee() * 2; }
    ▷ String fee() { return "2"; } ▷ int fees() { return Integer.parseInt(fee()) * 2; } ✘ «error»
    ≡ fees() → 4
a lambda of an old method ▷ int rate() { return 1; }⏎Supplier<Integer> keeper = () -> rate();
    ▷ int rate() { return 5; }⏎keeper == null ? 0 : keeper.get() ✔ «2»[^«]*\bkeeper\b|«text/plain» 5
a failed initializer ▷ int failed = Integer.parseInt("x"); ✔ NumberFormatException
    ✔ \bfailed is 0,? because its initializer failed ≡ failed → 0
a failed initializer of an object ▷ var failedText = List.of("a").get(3);
    ✔ \bfailedText is null,? because its initializer failed ≡ failedText → null
a failed initializer of a boolean ▷ boolean failedFlag = 1 / (number - 7) > 0;
    ✔ \bfailedFlag is false,? because its initializer failed
an interrupted initializer ▷ boolean waited = new CountDownLatch(1).await(9, TimeUnit.SECONDS); ✋
    ✔ \bwaited is false,? because
a failed initializer in the middle ▷ int well = 1; int ill = 1 / 0; int unborn = 3;
    ✔ \bill is 0,? because its initializer failed ✘ \bwell is 0 ≡ well → 1
an initializer that fails the second time ▷ int level = 5; ▷ int level = 1 / 0; ✔ «2»…\blevel is 0,? because
    ≡ level → 0
a later class ▷ class Shop1 { void sell(Ware w) {} }⏎class Ware {} ✘ cannot be used
    ≡ new Shop1() != null → true
classes that name each other ▷ class Egg { Hen from; }⏎class Hen { List<Egg> eggs = List.of(); }
    ✘ cannot be used ≡ new Hen().eggs → [] ≡ new Egg().from → null
methods that call each other
    ▷ boolean even(int n) { return n == 0 || odd(n - 1); }⏎boolean odd(int n) { return n > 0 && even(n - 1);
      }⏎even(8) ✔ «text/plain» true ✘ cannot be used
a later variable ▷ int ahead() { return behindIt; }⏎int behindIt = 4;⏎ahead() ✔ «text/plain» 4
    ✘ cannot be used
a class that stays unknown ▷ class Stall { Tent tent; }⏎class Stand { Tent tent; Stall next; }
    ▷ class Tent {} ✔ Stall cannot be used until this is declared: class Tent ✘ «2» \S ✘ (Stall cannot…){2}
    ≡ new Stall().tent → null
use of what is unknown ▷ int open2() { return missingPart(); } ▷ open2() ✔ «2» «error» ✔ missingPart
a generic method
    ▷ <T extends Comparable<T>> T most(List<T> of) { return Collections.max(of); }⏎most(List.of(3, 9, 4))
    ✔ «text/plain» 9 ✘ «error»
an annotation
    ▷ @Deprecated int old() { return 3; }⏎@FunctionalInterface interface Act { int of(int n); }⏎
      Act act = n -> n + old();⏎act.of(4) ✔ «text/plain» 7 ✘ «error»
two variables at once ▷ int left1 = 1, right1 = left1 + 1; ✘ «error» ≡ left1 + right1 → 3
private and final ▷ private static final int LIMIT = 3;⏎public int limit() { return LIMIT; } ✘ «error»
    ≡ limit() → 3
names in other scripts ▷ int größe = 3; int 数 = 4; ✘ «error» ≡ größe + 数 → 7
the same name for method and variable ▷ int both = 3; int both() { return 4; } ✘ «error» ≡ both + both() → 7

# output
order ▷ for (int i = 0; i < 3; i++) { System.out.println("out" + i); System.err.println("err" + i); }
    ✔ out0⏎err0⏎out1⏎err1⏎out2⏎err2
no line end ▷ System.out.print("no end") ▷ 2 ✔ «1» no end⏎«2» «text/plain» 2
printf ▷ System.out.printf("%d%n", 3); ✔ ^«1» 3 ✘ PrintStream
emoji ▷ System.out.println("😀 ☕ größer 数"); "😀" ✔ ^«1» 😀 ☕ größer 数⏎ ✔ «text/plain» 😀
half a character ▷ System.out.println("a\ud83d\0b"); ✔ a.*b
output before an error ▷ System.out.print("just before");⏎throw new IllegalStateException("then");
    ✔ just before…«error» IllegalStateException: then
an earlier System.out ▷ var earlier = System.out; ▷ earlier.println("through the old one");
    ✔ «2» through the old one
an earlier System.err ▷ var earlierErrors = System.err; ▷ earlierErrors.println("through the old one");
    ✔ «2» through the old one
a closed System.out ▷ try (var w = new PrintWriter(System.out)) { w.println("closed"); }
    ▷ System.out.println("still heard"); ✔ «1» closed ✔ «2» still heard
a replaced System.out ▷ System.setOut(new PrintStream(OutputStream.nullOutputStream()));
    ▷ System.out.println("heard again"); ✔ «2» heard again
a thread after its cell, in the next
    ▷ Thread.startVirtualThread(() -> { LockSupport.parkNanos(200_000_000); System.out.println("late line");
      }); ▷ Thread.sleep(400); ✔ «2»…late line ✔ thread|cell
a thread after its cell, nothing runs
    ▷ Thread.startVirtualThread(() -> { LockSupport.parkNanos(200_000_000);
      System.out.println("later line"); }); ▷ 3 ⏱ 0.5 ✔ «2»…later line
an uncaught exception
    ▷ Thread.ofPlatform().name("till").start(() -> { LockSupport.parkNanos(200_000_000);
      throw new IllegalStateException("no change"); }); ▷ 3 ⏱ 0.4 ✔ till ✔ IllegalStateException: no change
an uncaught exception of a virtual thread
    ▷ Thread.ofVirtual().name("guest").start(() -> { LockSupport.parkNanos(200_000_000);
      int n = 1 / (number - 7); }); ▷ 3 ⏱ 0.4 ✔ guest ✔ ArithmeticException: / by zero
of a pool
    ▷ var pool = Executors.newFixedThreadPool(1);⏎pool.execute(() -> {
      throw new IllegalStateException("in the pool"); });⏎pool.close(); ▷ 3 ⏱ 0.2
    ✔ IllegalStateException: in the pool
an uncaught exception in its own cell
    ▷ Thread.ofPlatform().name("counter").start(() -> { throw new IllegalStateException("too early");
      }).join(); ✔ counter ✔ IllegalStateException: too early
a logger's warning ▷ java.util.logging.Logger.getLogger("shop").warning("low on tea"); ✔ low on tea
a warning of System.Logger ▷ System.getLogger("shop").log(System.Logger.Level.WARNING, "low on milk");
    ✔ low on milk
a warning of slf4j ▷ org.slf4j.LoggerFactory.getLogger("shop").warn("low on {}", "sugar"); ✔ low on sugar
a line that is read ▷ var asked = new Scanner(System.in).nextLine(); ⌨ Ada ≡ asked → Ada
a line that is read again ▷ var askedAgain = new Scanner(System.in).nextLine(); ⌨ Größe 😀
    ≡ askedAgain → Größe 😀
IO.readln ▷ var answered = IO.readln("name? "); ⌨ Bob ✔ name\? ≡ answered → Bob
a line of 5 MB ▷ System.out.println("x".repeat(5_000_000) + "end"); ✔ xend|cut|not shown

# magics
a text block ▷ var format = """⏎%s has %d⏎%libraries servers⏎%%time⏎"""; ✘ «error» ✘ librar
    ≡ format.replace('\n', '|') → %s has %d|%libraries servers|%%time|
a text block with spaces ▷ var format2 = """⏎    %s⏎    %n"""; ✘ «error» ≡ format2.replace('\n', '|') → %s|%n
an expression ▷ int rest = 30⏎%number; ✘ «error» ≡ rest → 2
an expression with a space ▷ int rest2 = 30⏎  % number⏎; ✘ «error» ≡ rest2 → 2
an expression, broken behind ▷ int rest3 = 30 %⏎number; ✘ «error» ≡ rest3 → 2
arguments of a method ▷ String.join("|", "a",⏎"%b", String.valueOf(9⏎%number)) ✔ a\|%b\|2 ✘ «error»
a string ▷ var inside = "%libraries servers"; ✘ added ✘ «error» ≡ inside → %libraries servers
a comment ▷ // %libraries servers⏎int c1 = 1; ✘ added ✘ «error» ≡ c1 → 1
a block comment ▷ /*⏎%libraries servers⏎%nosuch⏎*/⏎int c2 = 2; ✘ added ✘ «error» ≡ c2 → 2
a method ▷ int share(int all) {⏎  return all⏎%number;⏎} ✘ «error» ≡ share(9) → 2
unknown ▷ %nosuch a b ✔ «error» ✔ nosuch ✘ base64
unknown, for a cell ▷ %%nosuch⏎int body = 3; ✔ «error» ✔ nosuch
unknown libraries ▷ %libraries none ✔ «error» ✔ no libraries "none"
a percent sign alone ▷ % ✔ «error»
after code ▷ int ready = 3;⏎%libraries servers⏎int set = ready + 1; ✔ libraries for servers ✘ «error»
    ≡ set → 4 ≤ 15
after a comment, with spaces ▷ // servers⏎  %libraries servers  ⏎int go = 5; ✔ already there ✘ «error»
    ≡ go → 5
line ends of Windows ▷ %libraries servers␍⏎int crlf2 = 5;␍⏎ ✔ already there ✘ «error» ≡ crlf2 → 5
the last line ▷ int last = 5;⏎%libraries servers ✔ already there ✘ «error» ≡ last → 5
an error below ▷ %libraries servers⏎int low = 1;⏎int lower = nobody; ✔ nobody ✔ line 3\b

# display
null ▷ String absent = null;⏎absent ✔ «text/plain» null
null of Object ▷ (Object) null ✔ «text/plain» null
no value ▷ kept.clear(); kept.add(1); kept.add(2); ▷ System.gc() ✘ null
an array ▷ new int[] {1, 2} ✔ «[^»]*text/plain[^»]*» [^\n]*\b1\b.*\b2\b ✘ \[I@
arrays in an array ▷ new int[][] {{1}, {2, 3}} ✔ \b2\b ✘ \[I@
an array of objects ▷ new Object[] {"a", null, new char[] {'b'}} ✔ a ✔ null ✔ b ✘ \[[CL]@?
an array of records ▷ new Tea[] {tea} ✔ Tea\[name=green\] ✘ \[L
an array of doubles ▷ new double[] {0.5, Double.NaN} ✔ 0.5 ✔ NaN ✘ \[D@
an empty array ▷ new String[0] ✔ «text/plain» ✘ \[L
a million elements ▷ new int[1_000_000] ✔ «1» ✘ (0, ){9999} ✘ «error» ≤ 3
a list of a million ▷ Collections.nCopies(1_000_000, 1) ✔ «1» ✘ (1, ){99999} ≤ 4
a text of 20 MB ▷ "x".repeat(20_000_000) ✔ xxx ≤ 4
a map ▷ new TreeMap<>(Map.of("a", 1, "b", List.of(2))) ✔ \{a=1, b=\[2\]\}
display ▷ display(new int[] {4, 5});⏎display((Object) null); ✔ \b4\b.*\b5\b ✔ null ✘ \[I@ ✘ «error»
XYChart ▷ var xy = new XYChartBuilder().build(); xy.addSeries("a", xs, xs); xy ✔ image/png
CategoryChart ▷ var cc = new CategoryChartBuilder().build(); cc.addSeries("a", xs, xs); cc ✔ image/png
    ✘ @[0-9a-f]{6}
PieChart ▷ var pie = new PieChartBuilder().build(); pie.addSeries("a", 1); pie ✔ image/png ✘ @[0-9a-f]{6}
HeatMapChart
    ▷ var heat = new HeatMapChartBuilder().build();
      heat.addSeries("a", new int[] {1, 2}, new int[] {1}, new int[][] {{1}, {2}}); heat ✔ image/png
    ✘ @[0-9a-f]{6}
BubbleChart
    ▷ var bub = new BubbleChartBuilder().build(); bub.addSeries("a", xs, xs, new double[] {3, 4}); bub
    ✔ image/png ✘ @[0-9a-f]{6}
BoxChart ▷ var box = new BoxChartBuilder().build(); box.addSeries("a", new double[] {1, 2, 3}); box
    ✔ image/png ✘ @[0-9a-f]{6}
RadarChart
    ▷ var radar = new RadarChartBuilder().build(); radar.setRadiiLabels(new String[] {"a", "b", "c"});
      radar.addSeries("a", new double[] {0.1, 0.2, 0.3}); radar ✔ image/png ✘ @[0-9a-f]{6}
a chart without a series ▷ new XYChartBuilder().build() ✔ image/png|«error»
charts in a list ▷ List.of(pie) ✔ «1» ✘ «error»
an exact integer ▷ Table.create("t", LongColumn.create("big", 9007199254740993L))
    ✔ 9,?007,?199,?254,?740,?993 ✘ 992\b
a number that names ▷ Table.create("t", IntColumn.create("pid", new int[] {47110})) ✔ \b47110\b ✘ 47,110
a number that is counted ▷ Table.create("t", IntColumn.create("tasks", new int[] {47110})) ✔ 47,110
HTML in a text ▷ "<b>tea</b>" ✔ <b>tea</b>

# interrupts ≤ 2
nothing ✋ ⏱ 0.3 ▷ 3 ✔ «text/plain» 3 ✘ «error»
a sleep ▷ Thread.sleep(60_000); ✋ ✔ «error» ✔ interrupt ✘ still run
a latch ▷ new CountDownLatch(1).await(); ✋ ✔ «error» ✔ interrupt ✘ still run
many virtual threads that are joined
    ▷ try (var all = Executors.newVirtualThreadPerTaskExecutor()) {⏎for (int i = 0; i < 100;
      i++) all.submit(() -> { Thread.sleep(60_000); return 1; });⏎} ✋ ✔ «error» ✔ interrupt
the cell after it ▷ Thread.sleep(60_000); ✋ 0.2 ▷ int calm = 4; Thread.sleep(20);⏎calm ✔ «2» «text/plain» 4
while it reads ▷ new Scanner(System.in).nextLine() ✋ ⏱ 0.1 ✔ «error»

# what an interrupt does not end ⚙ burning ≤ 3 ✔ «1» …«error»
a loop ▷ long spun = 0;⏎while (true) { spun++; } ✋ 1 ✔ still run ✔ restart
in the cell after a loop ▷ throw new Error("5"); ✘ still run
a sleep in a loop that goes on
    ▷ while (true) { try { Thread.sleep(100); } catch (InterruptedException e) {} } ✋ 1 ✔ still run
a lock
    ▷ var taken = new ReentrantLock();⏎Thread.ofPlatform().daemon().start(() -> { taken.lock();
      LockSupport.park(); });⏎Thread.sleep(100);⏎taken.lock(); ✋ 1 ✔ still run
a parallel stream
    ▷ IntStream.range(0, 8).parallel().map(i -> { while (true) { if (i > 9) return 1; } }).sum() ✋ 1
    ✔ still run
toString without end ▷ class Slow { public String toString() { while (true) {} } }⏎new Slow() ✋
toString that sleeps
    ▷ class Nap { public String toString() { try { Thread.sleep(60_000); } catch (InterruptedException e) {
      throw new IllegalStateException(e); } return ""; } }⏎new Nap() ✋

# names, and a magic ⚙ names ≤ 10 ✔ «2» (Added|The libraries) ✔ «3» «text/plain» 2 ✘ «error»
java ▷ int java = 25; ▷ %libraries servers ▷ kept.size()
org ▷ var org = "x"; ▷ %libraries servers ▷ kept.size()
threadlab ▷ int threadlab = 1; ▷ %libraries servers ▷ kept.size()
magics ▷ var magics = "m"; ▷ %libraries servers ▷ kept.size()
String ▷ var String = 3; ▷ %libraries servers ▷ kept.size()
System ▷ var System = 1; ▷ %libraries servers ▷ kept.size()
a class Base64 ▷ class Base64 {} ▷ %libraries servers ▷ kept.size()

# heap ≤ 20
a heap that is let go ⚙ heap
    ▷ void fill() { var all = new ArrayList<long[]>(); while (true) { all.add(new long[100_000]); } }⏎fill()
    ✔ OutOfMemoryError
a picture of 30,000 × 30,000 ⚙ heap
    ▷ var vast = new XYChartBuilder().width(30_000).height(30_000).build(); vast.addSeries("a", xs, xs);⏎vast
    ✔ «error»|image/png|not shown
a thousand threads ⚙ heap
    ▷ for (int i = 0; i < 1_000; i++) Thread.ofPlatform().start(() -> LockSupport.parkNanos(9_000_000));
    ✘ «error»
System.exit ⚙ exit ▷ System.exit(3); ✔ exit|restart
'''

GENERATED = """
3,000 terms ▷ {} ✔ «1» («text/plain» 3000|«error») ≤ 8
3,000 strings ▷ {} ✔ «1» («text/plain» 7aaa|«error») ≤ 8
500 parentheses ▷ {} ✔ «1» («text/plain» 1$|«error») ≤ 8
a method of 70 KB, and an import then ▷ {} ▷ // c⏎import java.util.zip.*; ✔ code too large ≤ 20
""".format(
    " + ".join(["1"] * 3_000),
    " + ".join(["number", *['"a"'] * 3_000]),
    "(" * 500 + "1" + ")" * 500,
    "void big() { " + "System.out.println(1); " * 10_000 + "}",
)


class Case(NamedTuple):
    name: str
    cells: list[Typed]
    shows: list[str]
    never: list[str]
    values: dict[str, str]
    within: float = 5
    kernel: str = "shared"


FLAGS = re.MULTILINE | re.IGNORECASE
ENDING = ("heap", "exit")  # kernels that may end, with a sentence
MARKS = "▷✋⌨⏱✔✘≡≤⚙"
SIGNS = str.maketrans({"⏎": "\n", "␍": "\r", "⇥": "\t", "⍽": "\u00a0"})


def cases(text: str) -> Iterator[Case]:
    kind = common = ""
    for row in re.findall(r"^\S.*(?:\n +.*)*", text, re.MULTILINE):
        row = re.sub(r"(⏎?)\n +", lambda end: end[1] or " ", row)
        if row.startswith("#"):
            kind, common = re.fullmatch(rf"# ([^{MARKS}]*)(.*)", row).groups()
        else:
            yield case(kind.strip(), row + common)


def case(kind: str, row: str) -> Case:
    name, *marked = re.split(rf"\s*([{MARKS}])\s*", row)
    made = Case(f"{kind}: {name}", [], [], ["«hung»"], {})
    for mark, text in zip(marked[::2], (part.translate(SIGNS) for part in marked[1::2]), strict=True):
        pattern = text.replace("…", r"[\s\S]*")
        match mark:
            case "▷":
                made.cells.append(text)
            case "✋":
                made.cells.append(Interrupt(float(text or 0.4)))
            case "⌨":
                made.cells.append(Answer(text))
            case "⏱":
                made.cells.append(Wait(float(text)))
            case "✔":
                made.shows.append(pattern)
            case "✘":
                made.never.append(pattern)
            case "≡":
                made.values.update([text.split(" → ")])
            case "≤":
                made = made._replace(within=float(text))
            case "⚙":
                made = made._replace(kernel=text)
    return made


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    desk = Desk(tmp_path_factory.mktemp("temporary"), FIRST)
    with desk.open:
        yield desk


COMPLETIONS = {  # with the cursor at |, and what one of the suggestions makes of it
    "kept.siz|": "kept.size()",
    '"😀".leng|': '"😀".length()',
    'var e = "😀😀"; kept.isEmp|': 'var e = "😀😀"; kept.isEmpty()',
    "// 😀\nkept.isEmp|ty": "// 😀\nkept.isEmpty()ty",
    "/* 😀 */ number + kep|": "/* 😀 */ number + kept",
    'var größe = "😀数"; größe.isBl|': 'var größe = "😀数"; größe.isBlank()',
    "// 😀\n%lib|": "// 😀\n%libraries",
    'String.valueOf("😀").lengt| + "😀"': 'String.valueOf("😀").length() + "😀"',
    "import java.util.conc|": "import java.util.concurrent.",
}


@pytest.mark.parametrize(("source", "whole"), COMPLETIONS.items())
def test_a_suggestion_replaces_what_was_typed(desk: Desk, source: str, whole: str) -> None:
    cell, at = source.replace("|", ""), source.index("|")
    reply = desk.typist_of("shared").client.complete(cell, at, reply=True, timeout=5)["content"]
    made = [cell[: reply["cursor_start"]] + match + cell[reply["cursor_end"] :] for match in reply["matches"]]
    assert whole in made


@pytest.mark.parametrize("case", [*cases("# long" + GENERATED + TYPED)], ids=lambda case: case.name)
def test_what_people_type(desk: Desk, case: Case) -> None:
    typist = desk.typist_of(case.kernel)
    page = typist.type(*case.cells, within=case.within)
    missing = [pattern for pattern in case.shows if not re.search(pattern, page, FLAGS)]
    wrong = [pattern for pattern in case.never if re.search(pattern, page, FLAGS)]
    found = {what: typist.value(what) for what in case.values if typist.usable}
    next_cell = typist.value(NEXT, within=2) if typist.usable else ""
    typist.usable = next_cell == UNCHANGED  # else the next case gets another kernel
    assert not missing and not wrong, page[:3_000]
    assert found == case.values
    assert next_cell == UNCHANGED or (case.kernel in ENDING and "«ended»" in page + next_cell)


def test_a_heap_that_stays_full_ends_the_kernel_with_a_sentence(desk: Desk) -> None:
    typist = desk.typist_of("heap kept full")
    page = typist.type(
        "var hoard = new ArrayList<long[]>();\nwhile (true) { hoard.add(new long[100_000]); }", within=20
    )
    typist.usable = False
    until("the kernel has ended", lambda: not typist.manager.is_alive(), 10)
    assert "the kernel ends" in page, page


@pytest.mark.parametrize(
    "print", ['System.out.println("line " + i)', "System.out.print(\"line \" + i + '\\n')"]
)
def test_200_000_lines_arrive_or_it_is_said_how_many_were_cut(desk: Desk, print: str) -> None:
    typist = desk.typist_of("output")
    begin = time.monotonic()
    page = typist.type(f"for (int i = 0; i < 200_000; i++) {print};", within=30)
    took, lines = time.monotonic() - begin, re.findall(r"line (\d+)$", page, re.MULTILINE)
    cut = re.search(r"(?i)([\d,]+) lines? .*(cut|not shown)", page)
    missing = int(cut[1].replace(",", "")) if cut else 0
    assert typist.usable and len(lines) + missing == 200_000, page[-1_000:]
    assert lines == sorted(lines, key=int)
    assert psutil.Process(typist.manager.provisioner.pid).memory_info().rss < 900e6
    assert typist.value(NEXT, within=2) == UNCHANGED
    assert took < 3
