import { deployLedger, LedgerPlay } from "@atrium/api/testing/LedgerPlay"
import { roomProcessesOf, signalAll } from "@atrium/api/testing/ProcessTree"
import { serviceUnderTest } from "@atrium/api/testing/ServiceUnderTest"
import { until } from "@atrium/domain/testing/Until"
import { beforeAll, describe, expect, it } from "vitest"

const service = serviceUnderTest()

beforeAll(() => deployLedger(service))

describe("kill -9 of a room's process under load", () => {
  it("[C-15] the sockets stay, nothing durable is lost, no answer is invented; its spare dies, too", async () => {
    const play = new LedgerPlay("killed")
    await play.start(service, 3)
    await until("some play", () => play.booked.size > 10 && play.stored.size > 20)
    const bookedBefore = play.booked.size
    const first = roomProcessesOf(service.pid)
    expect(first.length).toBeGreaterThan(0)
    // The spare that takes over dies with it. A third death within a minute would close the room.
    signalAll(first, "SIGKILL")
    await until("play goes on", () => play.booked.size > bookedBefore + 10)
    await play.stop()
    expect(await play.contradictions(service)).toEqual([])
    expect(play.drops).toEqual([])
    // A call that was under way has failed, and with no other words than these.
    expect([...play.failures]).toEqual(["E_ROOM_RESTARTED"])
  })
})
