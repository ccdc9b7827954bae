import { type HogCase, HogCases, MoreHogCases } from "@atrium/api/testing/HogCases"
import { counterOf, hogProject, loggedEnds } from "@atrium/api/testing/HogStage"
import { hog } from "@atrium/api/testing/rooms/hogSchema"
import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { until } from "@atrium/domain/testing/Until"
import { Client, type ClientRoom } from "@atrium/sdk/client"
import { beforeAll, describe, expect, it } from "vitest"

const service = serviceUnderTest()
let client: Client

beforeAll(async () => {
  const { url, project } = await hogProject(service, { entries: ["sharedHog.ts"] })
  client = new Client(url, { project })
})

/** They take more than the ceiling of a room, and less than the two rooms of the process may together. */
const fitTogether: ReadonlyArray<HogCase["name"]> = ["untouchedArrays", "wasmBand"]

// A bomb is a deployment of its own: its map is read in another process than its rooms run in.
const cases = [...HogCases, ...MoreHogCases].flatMap(({ name, ends, withinMs, bomb }) => {
  if (bomb === true) return []
  return [{ name, ends: fitTogether.includes(name) ? null : ends, withinMs }]
})

/** A hog that nobody ends is watched for so long. */
const WatchMs = 1000

type HogRoom = ClientRoom<typeof hog>

const opened = async (roomId: string, count: number): Promise<HogRoom> => {
  const room = await client.joinOrCreate(hog, { roomId })
  await room.request("count", { by: count })
  return room
}

const endsOf = ({ id }: HogRoom) => loggedEnds(service.output(), `${id} `)

describe("a hog in a process that rooms share", () => {
  it.each(cases)(
    "[C-973] [C-974] $name: its neighbour has its state, and is ended for nothing of its own",
    async ({ name, ends, withinMs }) => {
      const [culprit, neighbour] = [await opened(`${name}-1`, 7), await opened(`${name}-2`, 5)]
      const beganMs = performance.now()
      culprit.send("run", { what: name })
      const watchedMs = ends === null ? WatchMs : 4 * withinMs
      await until(
        "its end",
        () => endsOf(culprit).length > 0 || performance.now() - beganMs > watchedMs,
        watchedMs + 5000
      )
      expect(await counterOf(neighbour)).toBe(5)
      expect(await counterOf(culprit)).toBe(7)
      const [own = "none"] = endsOf(culprit)
      expect([...(ends ?? ["none"]), "neighbour"]).toContain(own)
      expect(endsOf(neighbour)).toEqual(own === "neighbour" ? ["neighbour"] : [])
      for (const room of [culprit, neighbour]) {
        await room.leave()
        await until(`${room.id} sleeps`, () => endsOf(room).at(-1) === "stopped")
      }
    }
  )
})
