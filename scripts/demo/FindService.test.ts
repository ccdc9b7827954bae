import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { afterEach, beforeEach, expect, test } from "vitest"

import { findService } from "./FindService.ts"

let dataDir: string
let server: Server
let url: string
let health = '{"status":"ok"}'
/** What a login reads, by path. */
let listed: Record<string, unknown> = {}

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "atrium-find-"))
  health = '{"status":"ok"}'
  listed = {}
  server = createServer((request, response) => {
    const rows = listed[request.url ?? ""]
    if (rows !== undefined && request.headers.authorization === "Bearer ct_login") {
      return response.end(JSON.stringify(rows))
    }
    response.statusCode = request.url === "/health" ? 200 : 404
    response.end(health)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // Listening on TCP, so the address is none of a pipe.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve))
  await rm(dataDir, { recursive: true })
})

const running = (word: unknown): Promise<void> =>
  writeFile(join(dataDir, "running.json"), JSON.stringify(word))
const find = (argv: ReadonlyArray<string>, env: Record<string, string> = {}) =>
  findService(argv, { ATRIUM_DATA: dataDir, ...env })
const found = (project: string) => ({ url, project, origin: "running already" })

test("[demo.find] the word of a running service is enough", async () => {
  await running({ url, project: "p_word", pid: 1 })
  expect(await find([])).toEqual(found("p_word"))
})

test("[demo.find] --url and --project win over the environment, and that over the word", async () => {
  await running({ url: "http://127.0.0.1:9", project: "p_word", pid: 1 })
  const env = { ATRIUM_URL: "http://127.0.0.1:9", ATRIUM_PROJECT: "p_env" }
  expect(await find(["--url", url, "--project", "p_flag"], env)).toEqual(found("p_flag"))
  expect(await find([], { ...env, ATRIUM_URL: `${url}/` })).toEqual(found("p_env"))
})

test("[demo.find] the usual port, when the project is named", async () => {
  const { port } = new URL(url)
  expect(await find(["--project", "p_flag"], { PORT: port })).toEqual(found("p_flag"))
})

test("[demo.find] a service that was named must answer, as Atrium does, and have a project", async () => {
  await expect(find(["--url", "http://127.0.0.1:9", "--project", "p"])).rejects.toThrow(
    "nothing answers at http://127.0.0.1:9"
  )
  // The word is about another service, so its project says nothing about this one.
  await running({ url: "http://127.0.0.1:9", project: "p_word", pid: 1 })
  await expect(find(["--url", url])).rejects.toThrow(
    `${url}: found no project that has the examples. Set ATRIUM_TOKEN`
  )
  health = "<html>"
  await expect(find(["--url", url, "--project", "p"])).rejects.toThrow(`nothing answers at ${url}`)
})

test("[demo.find] takes the demo project by itself beside other projects of the login", async () => {
  const rooms = (...types: ReadonlyArray<string>) => [
    { version: 1, roomTypes: types.map((type) => ({ type })) }
  ]
  listed = {
    // Newest first, as the service lists them.
    "/v1/projects": [
      { id: "p_later", name: "demo" },
      { id: "p_game", name: "game" },
      { id: "p_demo", name: "demo" },
      { id: "p_moved", name: "demo" }
    ],
    "/v1/projects/p_later/deployments": rooms("arena"),
    "/v1/projects/p_game/deployments": rooms("arena"),
    "/v1/projects/p_demo/deployments": rooms("arena", "tic-tac-toe"),
    "/v1/projects/p_moved/deployments": rooms("chess")
  }
  const env = { ATRIUM_URL: url, ATRIUM_TOKEN: "ct_login" }
  expect(await find([], env)).toEqual(found("p_demo"))
  await expect(find([], { ...env, ATRIUM_TOKEN: "ct_wrong" })).rejects.toThrow("no project that")
})

test("[demo.find] the word of a service holds for every name of this machine", async () => {
  await running({ url, project: "p_word", pid: 1 })
  const named = url.replace("127.0.0.1", "localhost")
  expect(await find(["--url", named])).toEqual({ ...found("p_word"), url: named })
})

test("[demo.find] an unknown option is named", async () => {
  await expect(find(["--prject", "p"])).rejects.toThrow("--prject")
})
