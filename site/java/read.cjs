// Prints what the page would be told about each file: node read.cjs FOLDER FILE …, where FOLDER has the scripts. Two
// dumps of the same JVM have a comma between.
const fs = require("node:fs");
const path = require("node:path");
const [folder, ...files] = process.argv.slice(2);
const dump = require(path.join(folder, "dump.js"));

function told(file, read) {
    const from = fs.openSync(file);
    const part = Buffer.alloc(1 << 20);
    const decoder = new TextDecoder();
    let ended = false;
    const answer = read(() => {
        if (ended) return null;
        const count = fs.readSync(from, part);
        ended = count === 0;
        return decoder.decode(part.subarray(0, count), { stream: !ended });
    });
    fs.closeSync(from);
    console.log(answer);
    return JSON.parse(answer);
}

for (const file of files) {
    const [first, later] = file.split(",");
    let { groups } = told(first, dump.read);
    if (later) ({ groups } = told(later, dump.confirm));
    groups?.forEach((_, number) => console.log(dump.group(number)));
    console.log(groups ? dump.find("thread") : "");
}
