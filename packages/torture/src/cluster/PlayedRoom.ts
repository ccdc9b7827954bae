import type { Drop } from "../soak/Drops.ts"
import { type Attempt, type Incident, judgeRoom, type Violation } from "../soak/Ledger.ts"
import { LedgerClient } from "../soak/LedgerClient.ts"
import { again, readLedger } from "../soak/ReadLedger.ts"
import { RelayWriter } from "./RelayWriter.ts"

const readWithinMs = 20_000

/** When the clients of a room stop. */
interface Ends {
  readonly isOver: () => boolean
  readonly mustStop: () => boolean
}

/** A room whose clients keep account of what they were told. */
export interface PlayedRoom {
  readonly coded: boolean
  /** Plays until it is over. */
  work(ends: Ends): Promise<void>
  /** Each of its clients was answered at least once. */
  answered(): boolean
  attempts(): ReadonlyArray<Attempt>
  /** Connections that its clients lost. */
  drops(): ReadonlyArray<Drop>
  /** Compares what the clients were told with what the room holds in the end. */
  judge(incidents: ReadonlyArray<Incident>, endedAtMs: number): Promise<ReadonlyArray<Violation>>
}

type CodedPlace = ConstructorParameters<typeof LedgerClient>[1]

export const codedRoom = (place: CodedPlace, clientCount: number): PlayedRoom => {
  const roomId = `${place.project}/${place.roomId}`
  const clients = Array.from(
    { length: clientCount },
    (_, client) => new LedgerClient(client + 1, place)
  )
  const attempts = () => clients.flatMap((client) => client.attempts)
  return {
    coded: true,
    work: async (ends) => {
      await Promise.all(clients.map((client) => client.work(ends)))
    },
    answered: () => clients.every((client) => wasAnswered(client.attempts)),
    attempts,
    drops: () => clients.flatMap((client) => client.drops),
    judge: async (incidents, endedAtMs) => {
      await Promise.all(clients.map((client) => client.leave()))
      const lines = await readLedger(place, readWithinMs)
      const history = { roomId, attempts: attempts(), incidents, lines, endedAtMs }
      return [...judgeRoom(history), ...mixedProcesses(roomId, attempts())]
    }
  }
}

export const relayRoom = (place: ConstructorParameters<typeof RelayWriter>[0]): PlayedRoom => {
  const writer = new RelayWriter(place)
  return {
    coded: false,
    work: ({ isOver }) => writer.work(isOver),
    answered: () => wasAnswered(writer.attempts),
    attempts: () => writer.attempts,
    drops: () => writer.drops,
    judge: async (incidents) => {
      await again(() => writer.end(), readWithinMs)
      return writer.violations(incidents)
    }
  }
}

const wasAnswered = (attempts: ReadonlyArray<Attempt>): boolean =>
  attempts.some(({ answer }) => answer !== null)

/** A process of a room that answers after a later one has answered: two ran at once. */
const mixedProcesses = (
  roomId: string,
  attempts: ReadonlyArray<Attempt>
): ReadonlyArray<Violation> => {
  const answers = attempts
    .flatMap(({ answer }) => (answer === null ? [] : [answer]))
    .toSorted((one, other) => one.atMs - other.atMs)
  const before = new Set<number>()
  return answers.flatMap(({ boot }, at): ReadonlyArray<Violation> => {
    const previous = answers[at - 1]?.boot ?? boot
    if (previous !== boot) before.add(previous)
    if (previous === boot || !before.has(boot)) return []
    const what = `the process of ${boot} answered after that of ${previous}`
    return [{ rule: "twice", roomId, what }]
  })
}
