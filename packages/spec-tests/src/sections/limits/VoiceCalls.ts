import { connect } from "node:net"

import { same, holds } from "../../check/Expect.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import { type RoomStage, withRooms } from "../../trial/RoomStage.ts"
import { CallRefused } from "../../trial/SocketError.ts"
import type { Trial } from "../../trial/Trial.ts"
import { rowOf } from "../Section.ts"
import { hourMs, minuteMs } from "../Units.ts"
import { withCaps } from "./CapStage.ts"
import { usedOf, withTimeHeld } from "./MeteredUse.ts"

const needs = ["fixture", "voice"] as const

/** The type of the fixture `probe` that declares calls. */
const spoken = { type: "spoken" }

/** The code of a join that is refused; `null` = it was let in. */
const refusalOf = async (client: RoomSocket): Promise<string | null> => {
  try {
    await client.voice.join()
    return null
  } catch (cause) {
    if (cause instanceof CallRefused) return cause.code
    throw cause
  }
}

interface Candidate {
  readonly protocol: string
  readonly address: string
  readonly port: number
}

const candidatesIn = (sdp: string): ReadonlyArray<Candidate> =>
  [...sdp.matchAll(/^a=candidate:\S+ 1 (\w+) \d+ (\S+) (\d+) typ host/gm)].map(
    ([, protocol = "", address = "", port]) => ({
      protocol: protocol.toUpperCase(),
      address,
      port: Number(port)
    })
  )

/** Whether somebody listens there. */
const isOpen = ({ address, port }: Candidate): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, address)
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false))
    socket.on("connect", () => socket.destroy())
  })

export const mediaPorts = {
  needs,
  // The first call starts the media process, which takes seconds on a busy machine.
  alone: true as const,
  timeoutMs: 60_000,
  title:
    "a call offers its media at ports of the range over UDP and TCP, which are open while it lasts; without voice none is offered",
  run: withRooms(async (stage, trial) => {
    const { fromPort, toPort, protocols } = rowOf("statement", "limits.voice.ports").is ?? {}
    const client = await stage.client("talk", spoken)
    const sdp = await client.voice.join()
    const offered = candidatesIn(sdp)
    same("the protocols", [...new Set(offered.map(({ protocol }) => protocol))], protocols)
    const lines = [...sdp.matchAll(/^m=audio (\d+)/gm)].map(([, port]) => Number(port))
    for (const port of [...lines, ...offered.map((candidate) => candidate.port)]) {
      holds("a port of the range", port >= Number(fromPort) && port <= Number(toPort), port)
    }
    const [tcp] = offered.filter(({ protocol }) => protocol === "TCP")
    holds("the port is open", tcp !== undefined && (await isOpen(tcp)), offered)
    client.voice.leave()
    await trial.until("the port is closed", async () =>
      tcp !== undefined && (await isOpen(tcp)) ? null : true
    )
    const code = await refusalOf(await stage.client("silent"))
    trial.chosen("D-59", () => same("a call without voice", code, "E_VOICE_OFF"))
  })
}

export const newCallsRefused = {
  needs,
  // The first call starts the media process, which takes seconds on a busy machine.
  alone: true as const,
  timeoutMs: 60_000,
  title: "at the wall of voice no call begins, and running ones go on and take participants",
  run: withCaps("free", async (stage, trial) => {
    const { rooms } = stage
    const isRefused = async (what: string, client: RoomSocket): Promise<void> => {
      const code = await refusalOf(client)
      trial.chosen("D-45", () => same(what, code, "E_CAP_REACHED"))
      holds("its connection is open", client.isOpen(), "closed")
    }
    const { allowance } = await stage.cap("voiceMinutes")
    await stage.uses("voiceMinutes", allowance - 1)
    const [ann, bob] = [await rooms.client("talk", spoken), await rooms.client("talk", spoken)]
    const eve = await rooms.client("other", spoken)
    same("a call below the wall", await refusalOf(ann), null)
    await stage.uses("voiceMinutes", allowance)
    await isRefused("a call at the wall", eve)
    same("a join to the running call", await refusalOf(bob), null)
    same("how often the call has put somebody out", ann.voice.ends() + bob.voice.ends(), 0)
    ann.voice.leave()
    bob.voice.leave()
    await ann.ping()
    await bob.ping()
    await isRefused("a call again", ann)
    await stage.uses("voiceMinutes", 0)
    same("a call when the wall is gone", await refusalOf(eve), null)
  })
}

/** From join to leave, each of the two. */
export const participantMinutes = {
  needs: [...needs, "clock"] as const,
  title: "participants of a call are metered from their join to their leave, each for itself",
  alone: true as const,
  timeoutMs: 60_000,
  run: withRooms(async (stage, trial) => withTimeHeld(trial, () => metersCalls(stage, trial)))
}

/** Use is told within this time. */
const toldMs = minuteMs

async function metersCalls(stage: RoomStage, trial: Trial): Promise<void> {
  const { control } = trial
  const used = async (): Promise<number> => {
    await control.advance(toldMs)
    return usedOf(trial, stage.project, "voiceMinutes")
  }
  const [ann, bob] = [await stage.client("talk", spoken), await stage.client("talk", spoken)]
  same("what is used before a call", await used(), 0)
  await ann.voice.join()
  await control.advance(hourMs)
  await bob.voice.join()
  await control.advance(hourMs)
  await ann.leave()
  await trial.until("one is left", async () => bob.voice.participants().length === 1 || null)
  await control.advance(hourMs)
  bob.voice.leave()
  await bob.ping()
  same("minutes of two participants for two hours each", await used(), 240)
  await control.advance(hourMs)
  same("minutes an hour later", await used(), 240)
}
