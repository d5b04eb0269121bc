// Hands a dump to the compiled rules, in chunks as a page gets a file, and prints the verdict.
import { createReadStream } from "node:fs";
import { take, verdict } from "../../build/teavm/rules.mjs";

for await (const chunk of createReadStream(process.argv[2], "utf8")) take(chunk);
console.log(verdict());
