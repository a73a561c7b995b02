// SPDX-License-Identifier: GPL-2.0-or-later
// ClickHouse's HTTP interface over chdb (a ClickHouse of today in a library), as far as oppush, opfleet and the tests use it:
//   NODE_PATH=.../node_modules node chdb_server.js PORT DIRECTORY
// One request at a time. Inserts of rows and tables that go along with a query are put into files, as chdb takes SQL as text.
// It has no users and no quotas.
"use strict";
const fs = require("fs");
const http = require("http");
const zlib = require("zlib");
const { Session } = require("chdb");

const [port, directory] = process.argv.slice(2);
const server = new Session(`${directory}/chdb`);
const file = `${directory}/rows`;

async function ask(sql) {
    const result = await server.queryAsync(sql, { format: "TabSeparated" });
    return Buffer.from(result.bytes());
}

// The columns of an INSERT with their types.
async function structure(table, columns) {
    const found = await ask(`SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = '${table}'`);
    const types = new Map(found.toString().trimEnd().split("\n").map((line) => line.split("\t")));
    return columns.map((name) => `${name} ${types.get(name)}`).join(", ");
}

async function insert(sql, body) {
    const [, table, names, format] = /^INSERT INTO (\w+) \(([^)]*)\) FORMAT (\w+)$/.exec(sql);
    fs.writeFileSync(file, body);
    const of = await structure(table, names.split(", "));
    return ask(`INSERT INTO ${table} (${names}) SELECT ${names} FROM file('${file}', '${format}', '${of}')`);
}

// The parts of a body: a map of names to contents.
function parts(body, boundary) {
    const found = new Map();
    const line = `--${boundary}\r\n`;
    for (let at = body.indexOf(line); at >= 0; at = body.indexOf(line, at + 1)) {
        const begin = body.indexOf("\r\n\r\n", at) + 4;
        const name = /name="(\w+)"/.exec(body.toString("latin1", at, begin))[1];
        found.set(name, body.subarray(begin, body.indexOf(`\r\n--${boundary}`, begin)));
    }
    return found;
}

async function askWithTables(sql, address, body, boundary) {
    const tables = parts(body, boundary);
    for (const [name, rows] of tables) {
        const of = address.searchParams.get(`${name}_structure`);
        fs.writeFileSync(file, rows);
        await ask(`CREATE TEMPORARY TABLE ${name} (${of}) ENGINE = Memory`);
        if (rows.length > 0) await ask(`INSERT INTO ${name} SELECT * FROM file('${file}', 'RowBinary', '${of}')`);
    }
    try {
        return await ask(sql);
    } finally {
        for (const name of tables.keys()) await ask(`DROP TEMPORARY TABLE ${name}`);
    }
}

async function answer(request, body) {
    const address = new URL(request.url, "http://localhost");
    const sql = address.searchParams.get("query");
    await ask(`USE ${address.searchParams.get("database") || "default"}`);
    if (request.headers["content-encoding"] === "gzip") body = zlib.gunzipSync(body);
    if (sql === null) return ask(body.toString());
    const boundary = /boundary=(.*)/.exec(request.headers["content-type"] || "");
    return boundary ? askWithTables(sql, address, body, boundary[1]) : insert(sql, body);
}

function status(error) {
    return String(error.message).startsWith("Code: 81.") ? 404 : 500;
}

let last = Promise.resolve();
http.createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
        last = last
            .then(() => answer(request, Buffer.concat(chunks)))
            .then((result) => response.end(result))
            .catch((error) => {
                response.statusCode = status(error);
                response.end(`${error.message}\n`);
            });
    });
}).listen(Number(port), "127.0.0.1");
process.on("SIGTERM", () => process.exit(0));
