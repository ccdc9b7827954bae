import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

import { call, deploy } from "@atrium/api/testing/RunningService"

const child = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Players in the call of a room. */
export interface Talkers {
  /** All join the call, and speak until they hang up. */
  readonly talk: () => Promise<void>
  readonly hangUp: () => Promise<void>
  /** Packets that they have heard since the last call. */
  readonly heard: () => Promise<number>
  readonly leave: () => Promise<void>
}

interface Calling {
  readonly url: string
  readonly token: string
  readonly count: number
}

/** Players in a room of a project of their own. */
export const makeTalkers = async ({ url, token, count }: Calling): Promise<Talkers> => {
  const made = await call(url, "/v1/projects", { token, body: { name: "talkers" } })
  const project = String(made.body["id"])
  const rooms = fileURLToPath(new URL("./rooms", import.meta.url))
  const { status } = await deploy({ url, token, project }, ["talkers.ts"], rooms)
  if (status !== 201) throw new Error(`the room is not deployed: ${status}`)
  const minted = await call(url, `/v1/projects/${project}/jwt-secret`, { token, body: {} })
  const address = `${url.replace("http", "ws")}/v1/rooms/${project}/parlour`
  const secret = String(minted.body["secret"])
  const process = fork(child("./TalkersChild.ts"), [address, project, secret, String(count)])
  const ended = once(process, "exit")
  const said = async (): Promise<unknown> => {
    const [told] = await Promise.race([
      once(process, "message"),
      ended.then(() => Promise.reject(new Error("the players' process has ended")))
    ])
    return told
  }
  const ask = async (what: string): Promise<unknown> => {
    process.send(what)
    return said()
  }
  await said()
  return {
    talk: async () => void (await ask("talk")),
    hangUp: async () => void (await ask("hangUp")),
    heard: async () => Number(await ask("heard")),
    leave: async () => {
      process.disconnect()
      await ended
    }
  }
}

interface Flood {
  readonly packetsPerSecond: number
  readonly forMs: number
  readonly ports: ReadonlyArray<number>
}

/** Sends RTP of nobody to the ports in turn. @returns the packets that were sent */
export const flood = async ({ packetsPerSecond, forMs, ports }: Flood): Promise<number> => {
  const numbers = [packetsPerSecond, forMs, ...ports].map(String)
  const [sent] = await once(fork(child("./FloodChild.ts"), numbers), "message")
  return Number(sent)
}
