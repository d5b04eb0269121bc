// Prints what the page would be told about each file: node read.cjs FOLDER FILE …, where FOLDER has the scripts. Several
// dumps that are read together have commas between.
const fs = require("node:fs");
const path = require("node:path");
const [folder, ...all] = process.argv.slice(2);
const dump = require(path.join(folder, "dump.js"));

function add(file) {
    const from = fs.openSync(file);
    const part = Buffer.alloc(1 << 20);
    const start = part.toString("latin1", 0, fs.readSync(from, part, 0, 1024, 0));
    const decoder = new TextDecoder(dump.charset(start));
    let ended = false;
    const answer = dump.add(() => {
        if (ended) return null;
        const count = fs.readSync(from, part);
        ended = count === 0;
        return decoder.decode(part.subarray(0, count), { stream: !ended });
    });
    fs.closeSync(from);
    return answer;
}

for (const files of all) {
    dump.begin();
    for (const file of files.split(",")) console.log(add(file));
    let answer = dump.report(0);
    console.log(answer);
    const { jvms } = JSON.parse(answer);
    for (let jvm = 1; jvm < (jvms ?? 0); jvm++) console.log((answer = dump.report(jvm)));
    const { groups } = JSON.parse(answer);
    groups?.forEach((_, number) => console.log(dump.group(number)));
    console.log(groups ? dump.find("thread") : "");
}
