import { setPriority } from "node:os"

import { joinCredential } from "@atrium/api/testing/load/JoinCredential"
import { RawClient } from "@atrium/api/testing/RawClient"
import { MediaClient } from "@atrium/voice/media/testing/MediaClient"
import { ClientFrame, ServerFrame } from "@atrium/wire/frames/Frame"

// Players of one room who talk in its call, in a process of their own: their ciphers must not look as if the
// service were late. Arguments: the room's address, project, secret, count of players. Messages: "talk", "hangUp",
// "heard"; each is answered when it is done, the last one with the packets that were heard since it was asked before.

const [address = "", project = "", secret = "", count = "0"] = process.argv.slice(2)
/** Players are on machines of their own: where they share one with the service they take what it leaves. */
setPriority(10)

const PacketMs = 20

interface Talker {
  readonly room: RawClient
  media: MediaClient | null
}

const enter = async (_: unknown, at: number): Promise<Talker> => {
  const room = new RawClient(address)
  const [kind, code] = await room.hello(
    joinCredential({ project, secret, player: `talker${at}` }),
    "talkers"
  )
  if (kind !== ServerFrame.welcome) throw new Error(`not let in: ${String(code)}`)
  return { room, media: null }
}

const joinCall = async (talker: Talker): Promise<void> => {
  const media = new MediaClient()
  await talker.room.send([ClientFrame.voice, "join", await media.offer()])
  const isAnswer = ([kind, op]: ReadonlyArray<unknown>) =>
    kind === ServerFrame.voice && (op === "joined" || op === "refused")
  const [, op, answer] = await talker.room.next(isAnswer)
  if (op !== "joined") throw new Error(`the call refuses: ${String(answer)}`)
  if (await media.accept(String(answer))) {
    talker.media = media
    return
  }
  // On a busy machine a handshake comes to nothing now and then.
  await media.close()
  return joinCall(talker)
}

const talkers = await Promise.all(Array.from({ length: Number(count) }, enter))
let speaking: NodeJS.Timeout | null = null

const talk = async (): Promise<void> => {
  // One after the other: a handshake costs as much as a second of speech.
  for (const talker of talkers) await joinCall(talker)
  const beganAtMs = performance.now()
  let said = 0
  speaking = setInterval(() => {
    while (said * PacketMs < performance.now() - beganAtMs) {
      said++
      // All speak, each louder than the next.
      for (const [at, { media }] of talkers.entries()) media?.say(at, 5 + 4 * at)
    }
  }, PacketMs / 2)
}

const hangUp = async (): Promise<void> => {
  if (speaking !== null) clearInterval(speaking)
  for (const talker of talkers) {
    await talker.room.send([ClientFrame.voice, "leave"])
    await talker.media?.close()
    talker.media = null
  }
}

const heard = (): number =>
  talkers.reduce((sum, { media }) => sum + (media?.heard.splice(0).length ?? 0), 0)

process.on("message", async (asked: string) => {
  if (asked === "talk") await talk()
  if (asked === "hangUp") await hangUp()
  process.send?.(asked === "heard" ? heard() : asked)
})
process.on("disconnect", () => process.exit(0))
process.send?.("entered")
