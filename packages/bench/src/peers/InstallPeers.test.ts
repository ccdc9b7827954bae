import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterEach, beforeEach, expect, test } from "vitest"

import { installPeers, PeersMissing, versionOfPeer } from "./InstallPeers.ts"

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "peers-"))
  writeFileSync(join(folder, "package.json"), "{}")
  writeFileSync(join(folder, "package-lock.json"), "first")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A program in the place of npm. */
const npm = (script: string): string => {
  const path = join(folder, "npm")
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return path
}

const install = (script: string): Promise<string> =>
  installPeers(() => undefined, { from: folder, cache: join(folder, "cache"), npm: npm(script) })

test("[C-940] installs the peers once for each lockfile, by `npm ci` without scripts", async () => {
  const run = `echo "$@" > said; ls >> said; echo run >> ${join(folder, "runs")}`
  const first = await install(run)
  expect(readFileSync(join(first, "said"), "utf8").split("\n").slice(0, 3)).toEqual([
    "ci --ignore-scripts --no-audit --no-fund --fetch-retries=1",
    "package-lock.json",
    "package.json"
  ])
  expect(await install(run)).toBe(first)
  expect(readFileSync(join(folder, "runs"), "utf8")).toBe("run\n")
  writeFileSync(join(folder, "package-lock.json"), "second")
  expect(await install(run)).not.toBe(first)
  expect(readdirSync(join(folder, "cache"))).toHaveLength(2)
})

test("[C-940] says in one line that npm cannot reach its registry, and leaves nothing behind", async () => {
  const failure = `echo "npm error code ECONNREFUSED" >&2; echo "npm error connect ECONNREFUSED 127.0.0.1:9" >&2; exit 1`
  const installing = install(failure)
  await expect(installing).rejects.toThrow(PeersMissing)
  await expect(installing).rejects.toThrow(
    /^--peers: npm cannot install Colyseus and socket\.io \(code ECONNREFUSED: connect ECONNREFUSED 127\.0\.0\.1:9\)\. Run .* without --peers\.$/
  )
  expect(readdirSync(join(folder, "cache"))).toEqual([])
})

test("[C-940] says so too where there is no npm", async () => {
  const missing = installPeers(() => undefined, {
    from: folder,
    cache: join(folder, "cache"),
    npm: join(folder, "nothing")
  })
  await expect(missing).rejects.toThrow(/ENOENT.*without --peers/)
  expect(existsSync(join(folder, "cache"))).toBe(true)
})

test("[C-940] the manifest names exact versions, and the lockfile has what they need", () => {
  for (const name of ["@colyseus/core", "@colyseus/ws-transport", "@colyseus/schema", "socket.io"])
    expect(versionOfPeer(name)).toMatch(/^\d+\.\d+\.\d+$/)
})
