import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

import { until } from "@atrium/domain/testing/Until"
import { makeClientBundler } from "@atrium/sdk/bundle/ClientBundle"
import { Client } from "@atrium/sdk/client"
import { readSave } from "@atrium/sdk/saves"
import { schemaHash } from "@atrium/sdk/schema"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"
import { describe as describeSchema } from "@atrium/wire/schema/Describe"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

import { RawClient } from "../testing/RawClient.ts"
import { planted, vaultRoom } from "../testing/rooms/vault.ts"
import { vault } from "../testing/rooms/vaultSchema.ts"
import { call, deploy } from "../testing/RunningService.ts"
import { sharedService } from "../testing/ServiceUnderTest.ts"

const service = sharedService()
const room = "strongroom"

let project = ""
let target: { readonly url: string; readonly token: string; readonly project: string }

beforeAll(async () => {
  const made = await call(service.url, "/v1/projects", {
    token: service.token,
    body: { name: "vault" }
  })
  project = String(made.body["id"])
  target = { url: service.url, token: service.token, project }
  const { status, body } = await deploy(target, ["rooms/vault.ts"])
  if (status !== 201) throw new Error(`the deploy failed: ${JSON.stringify(body)}`)
})

/** The descriptor of a welcome says nothing but what the schema of the clients says. */
const demandPublic = (welcome: ReadonlyArray<unknown>): void => {
  expect(welcome[0]).toBe(ServerFrame.welcome)
  expect(welcome[8]).toEqual(describeSchema(vault))
}

/** A client of the bare protocol, and all that it was sent, as text in which each planted text would be found. */
class Spy {
  readonly raw: RawClient
  readonly playerId: string
  readonly token: string
  readonly #seen: Array<string> = []

  private constructor(raw: RawClient, identity: Record<string, unknown>) {
    this.raw = raw
    this.playerId = String(identity["playerId"])
    this.token = String(identity["token"])
  }

  static async join(): Promise<Spy> {
    const { body } = await call(service.url, "/v1/identity", { body: { project } })
    const address = `${service.url.replace("http", "ws")}/v1/rooms/${project}/${room}`
    const spy = new Spy(new RawClient(address), body)
    // No schema hash: the welcome brings the descriptor.
    const welcome = await spy.raw.hello(spy.token, "vault")
    demandPublic(welcome)
    spy.#note(welcome)
    return spy
  }

  async ask(rpc: string): Promise<void> {
    const shape = vault.rpc.client.byName.get(rpc)
    await this.raw.send([ClientFrame.rpc, 1, shape?.index, new Uint8Array(0)])
    await this.until((frame) => frame[0] === ServerFrame.rpcResult)
  }

  async until(fits: (frame: ReadonlyArray<unknown>) => boolean): Promise<void> {
    const frame = await this.raw.next((next) => {
      this.#note(next)
      return fits(next)
    })
    if (frame === undefined) throw new Error("the frame did not come")
  }

  get seen(): string {
    for (const frame of this.raw.frames) this.#note(frame)
    return this.#seen.join("\n")
  }

  #note(frame: unknown): void {
    this.#seen.push(
      JSON.stringify(frame, (_, value: unknown) =>
        Array.isArray(Object(value).data)
          ? Buffer.from(Object(value).data).toString("latin1")
          : value
      )
    )
  }
}

const secrets = [...planted.names, planted.word, planted.note]

const saves = async (): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const { body } = await call(service.url, `/v1/projects/${project}/rooms/${room}/saves`, {
    token: service.token
  })
  return Object.values(body).map(Object)
}

const bytesOf = async (saveId: unknown, token: string | null): Promise<Response> =>
  fetch(`${service.url}/v1/projects/${project}/rooms/${room}/saves/${String(saveId)}/bytes`, {
    headers: token === null ? {} : { authorization: `Bearer ${token}` }
  })

interface Described {
  readonly parameters?: ReadonlyArray<{ readonly in: string; readonly name: string }>
}

/** Every GET route of the contract, with the ids of this test in its path and its query. */
const getRoutes = async (): Promise<ReadonlyArray<string>> => {
  const { paths } = await (await fetch(`${service.url}/openapi.json`)).json()
  const [save] = await saves()
  const ids: Readonly<Record<string, unknown>> = {
    id: project,
    roomId: room,
    saveId: save?.["saveId"]
  }
  return Object.entries<{ readonly get?: Described }>(paths).flatMap(([path, { get }]) => {
    if (get === undefined) return []
    // A route refuses a parameter that it does not name, and then says nothing that could be searched.
    const isAsked = get.parameters?.some((each) => each.in === "query" && each.name === "project")
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? "1"))
    return [isAsked === true ? `${filled}?project=${project}` : filled]
  })
}

/** What a route answers within a second: some answers never end. */
const answerOf = async (route: string, token: string | null): Promise<string> => {
  const pieces: Array<Uint8Array> = []
  try {
    const { body } = await fetch(`${service.url}${route}`, {
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(1000)
    })
    for await (const piece of body ?? []) pieces.push(piece)
  } catch (error) {
    if (Object(error).name !== "TimeoutError") throw error
  }
  return Buffer.concat(pieces).toString("latin1")
}

/** The GET routes whose answer to this token has a planted text. */
const tellingTo = async (token: string | null): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const route of await getRoutes()) {
    const answer = await answerOf(route, token)
    if (secrets.some((secret) => answer.includes(secret))) found.push(route)
  }
  return found
}

describe("a room that keeps secrets", () => {
  it("[C-721] [C-722] no frame and no route tells a client of hidden state, of a rule, or of another's hand", async () => {
    const [ann, bob] = [await Spy.join(), await Spy.join()]
    await ann.ask("deal")
    await bob.ask("deal")
    await until("ann's hand", () => ann.seen.includes(planted.cardOf(ann.playerId)))
    await until("bob's hand", () => bob.seen.includes(planted.cardOf(bob.playerId)))
    // Bob's hand becomes ann's, so that this search would find what is sent.
    await bob.ask("show")
    await until("both hands", () => ann.seen.includes(planted.cardOf(bob.playerId)))
    expect(bob.seen).not.toContain(planted.cardOf(ann.playerId))
    await ann.ask("save")
    for (const spy of [ann, bob])
      for (const secret of secrets) expect(spy.seen).not.toContain(secret)

    expect(await tellingTo(null)).toEqual([])
    expect(await tellingTo(ann.token)).toEqual([])
    // The same search finds what the project's own keys may read.
    const [save] = await saves()
    const own = `/v1/projects/${project}`
    expect(await tellingTo(service.token)).toEqual(
      expect.arrayContaining([
        `${own}/deployments/1`,
        `${own}/rooms/${room}/saves/${String(save?.["saveId"])}/bytes`
      ])
    )
    for (const { raw } of [ann, bob]) raw.leave()
  })

  it("[C-723] a save holds the hidden state, for a key of the project and for nobody else", async () => {
    const [save] = await saves()
    const { saveId } = save ?? {}
    const refused = await Promise.all(
      [null, (await call(service.url, "/v1/identity", { body: { project } })).body["token"]].map(
        (token) => bytesOf(saveId, token === null ? null : String(token))
      )
    )
    expect(refused.map(({ status }) => status)).toEqual([401, 401])
    const key = await call(service.url, `/v1/projects/${project}/keys`, {
      token: service.token,
      body: { scopes: ["rooms:read"], label: "saves" }
    })
    const bytes = new Uint8Array(
      await (await bytesOf(saveId, String(key.body["secret"]))).arrayBuffer()
    )
    const { state, hidden } = readSave(vaultRoom, bytes)
    expect(hidden.zq_vaultCoins.zq_coinCount).toBe(10)
    expect([...hidden.zq_ledger].map(({ zq_entry }) => zq_entry)).toEqual([
      planted.word,
      planted.word
    ])
    expect(state.table).toMatchObject({ hands: 2, note: planted.note })
    expect(() => readSave(vault, bytes)).toThrow("read it with the room")
    // The list names what the bytes are: not the schema that clients know.
    expect(save?.["schemaHash"]).not.toBe(schemaHash(vault))
  })

  it("[C-721] hidden state moves to a new version, whose schema is the same for clients", async () => {
    expect(await deploy(target, ["rooms/vaultNext.ts"])).toMatchObject({ status: 201 })
    const { body } = await call(service.url, `/v1/projects/${project}/deployments`, {
      token: service.token
    })
    const hashes = Object.values(body).map((row) => Object(row).roomTypes[0].schemaHash)
    expect(hashes).toEqual([schemaHash(vault), schemaHash(vault)])
    expect(JSON.stringify(body)).not.toContain("zq_")
    const token = String(
      (await call(service.url, "/v1/identity", { body: { project } })).body["token"]
    )
    const again = await new Client(service.url, { project, token }).joinById(room, vault)
    expect(await again.request("count", {})).toEqual({ coins: 2310 })
    await again.leave()
  })

  it("[C-721] a version without hidden state that rooms have stored is refused by name", async () => {
    const difference = "entities.zq_ledger was removed"
    expect(await deploy(target, ["rooms/vaultLess.ts"])).toEqual({
      status: 409,
      body: {
        error: {
          code: "E_SCHEMA_BREAKING",
          message: `vault: ${difference}`,
          type: "vault",
          difference,
          rooms: expect.any(Number),
          saves: expect.any(Number)
        }
      }
    })
  })
})

describe("the bundle of a client", () => {
  let folder = ""
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "atrium vault "))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it("[C-721] [C-722] has no name of hidden state and no rule", async () => {
    const rooms = join(import.meta.dirname, "../testing/rooms")
    for (const name of ["vault.ts", "vaultSchema.ts"]) {
      await writeFile(join(folder, name), await readFile(join(rooms, name)))
    }
    await writeFile(
      join(folder, "client.ts"),
      `import { Client } from "@atrium/sdk/client"
       import type { vaultRoom } from "./vault.ts"
       import { vault } from "./vaultSchema.ts"
       export const joined: Promise<unknown> = new Client("").joinOrCreate(vault)
       export type Type = typeof vaultRoom`
    )
    const bundler = await makeClientBundler(join(folder, "client.ts"), folder)
    const { files, messages } = await bundler.build()
    await bundler.end()
    expect(messages).toEqual([])
    const text = [...(files ?? new Map()).values()]
      .map((bytes) => Buffer.from(bytes).toString())
      .join("")
    expect(text).toContain("vault")
    expect(text).not.toContain("zq_")
    expect(text).not.toContain("visible")
  })
})
