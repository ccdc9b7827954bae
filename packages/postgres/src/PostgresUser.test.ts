import { spawnSync } from "node:child_process"
import {
  chownSync,
  lchownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { PgClient } from "@effect/sql-pg"
import { Effect, Logger } from "effect"
import { afterAll, describe, expect, test } from "vitest"

import { startEmbeddedPostgres } from "./EmbeddedPostgres.ts"
import { nobody, postgresUser, systemUser } from "./PostgresUser.ts"

const isRoot = process.platform === "linux" && process.getuid?.() === 0
const parent = mkdtempSync(join(tmpdir(), "atrium-user-"))
const dataDir = join(parent, "data")
const cluster = join(dataDir, "cluster")
/** A user of this test's own, which it removes; `atrium-postgres` stays for the next start. */
const name = `atrium-test-${process.pid}`

afterAll(() => {
  rmSync(parent, { recursive: true, force: true })
  if (isRoot) spawnSync("userdel", [name])
})

/** Starts the server, asks it something, and tells who ran it. */
const uidsWhile = (statement: string): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const { url } = yield* startEmbeddedPostgres({ dataDir, durable: false })
    yield* Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      return yield* sql.unsafe(statement)
    }).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))
    const pid = Number.parseInt(readFileSync(join(cluster, "postmaster.pid"), "utf8"), 10)
    return (
      /^Uid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]?.split("\t") ?? []
    )
  }).pipe(Effect.scoped, Effect.runPromise)

const everything = (): ReadonlyArray<string> =>
  readdirSync(cluster, { recursive: true, encoding: "utf8" }).map((each) => join(cluster, each))

const refusedBy = { name, program: "atrium-no-such-program" }

describe.runIf(isRoot)("PostgreSQL of a service that is root", () => {
  test("[C-186] has a user of its own, without a shell and a home", async () => {
    const uids = await uidsWhile("CREATE TABLE kept (id int)")
    const line = spawnSync("getent", ["passwd", "atrium-postgres"], { encoding: "utf8" }).stdout
    const [, , uid, gid, , home, shell] = line.trim().split(":")
    expect(uids).toEqual(Array.from({ length: 4 }, () => uid))
    expect([statSync(cluster).uid, statSync(cluster).gid].map(String)).toEqual([uid, gid])
    expect(["0", String(nobody)]).not.toContain(uid)
    expect([home, shell]).toEqual(["/nonexistent", "/usr/sbin/nologin"])
  })

  test("[C-186] takes over what it had as nobody, also after a start that was cut short", async () => {
    const own = statSync(cluster)
    const paths = everything()
    for (const path of paths.slice(10)) lchownSync(path, nobody, nobody)
    chownSync(cluster, nobody, nobody)
    const foreign = join(cluster, "foreign")
    writeFileSync(foreign, "of somebody else")
    expect(new Set(await uidsWhile("INSERT INTO kept VALUES (1)"))).toEqual(
      new Set([String(own.uid)])
    )
    expect(statSync(foreign).uid).toBe(0)
    rmSync(foreign)
    const owners = new Set([cluster, ...everything()].map((path) => statSync(path).uid))
    expect([...owners]).toEqual([own.uid])
  })

  test("[C-186] stays with nobody where there can be no such user, and says so", async () => {
    const said: unknown[] = []
    const hear = Logger.make(({ message }) => said.push(message))
    const user = (folder: string) =>
      Effect.runPromise(Effect.provide(postgresUser(folder, refusedBy), Logger.layer([hear])))
    expect(await user(join(parent, "none"))).toEqual({
      uid: nobody,
      spawnAs: { uid: nobody, gid: nobody }
    })
    expect(said.flat()).toEqual([
      expect.stringMatching(
        /^PostgreSQL runs as the user nobody, which other programs may run as, too: it gets no user of its own \(.*atrium-no-such-program: not found\)$/
      )
    ])
    // The owner of a folder is asked first, and nothing is said.
    const { uid, gid } = statSync(cluster)
    expect(await user(cluster)).toEqual({ uid, spawnAs: { uid, gid } })
    expect(said).toHaveLength(1)
  })

  test("[C-186] several starts at once make one user", async () => {
    const order = { name, program: "useradd" }
    const found = await Effect.runPromise(
      Effect.all(
        Array.from({ length: 8 }, () => systemUser(order)),
        { concurrency: "unbounded" }
      )
    )
    expect(new Set(found.map(({ uid }) => uid)).size).toBe(1)
  })
})

test.runIf(process.getuid?.() !== 0)("[C-186] an ordinary user runs it as itself", async () => {
  expect(await Effect.runPromise(postgresUser(cluster, refusedBy))).toEqual({
    uid: process.getuid?.(),
    spawnAs: null
  })
})
