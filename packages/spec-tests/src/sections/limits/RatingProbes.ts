import { holds, same } from "../../check/Expect.ts"
import { packMsgpack } from "../../codec/Msgpack.ts"
import type { Project } from "../../trial/Project.ts"
import type { RoomSocket } from "../../trial/RoomSocket.ts"
import { type RoomStage, withRooms } from "../../trial/RoomStage.ts"
import { CallRefused } from "../../trial/SocketError.ts"
import type { Trial } from "../../trial/Trial.ts"
import { rowOf } from "../Section.ts"

interface Rated {
  readonly player: string
  readonly rating: number
  readonly deviation: number
}

interface Placed {
  readonly player: string
  readonly place: number
}

/** The protocol has fewer types of frames than that. */
const frameTypes = 24

/** So many players, of whom nobody has heard; each has the next place, 64 at most. */
export const placed = (count: number, name: string): ReadonlyArray<Placed> =>
  Array.from({ length: count }, (_, index) => ({
    player: `${name} ${index + 1}`,
    place: Math.min(index + 1, rowOf("boundary", "rating.place").accept)
  }))

/** Results that a room reports, and the ratings that it reads. */
export class RatingStage {
  readonly project: Project
  readonly #rooms: RoomStage
  readonly #client: RoomSocket
  #reports = 0

  constructor(rooms: RoomStage, client: RoomSocket) {
    this.project = rooms.project
    this.#rooms = rooms
    this.#client = client
  }

  /** A report as a client may try to send it: as a frame of every type, each on a connection of its own. */
  async sendReports(results: ReadonlyArray<Placed>): Promise<void> {
    for (let type = 0; type < frameTypes; type++) {
      const client = await this.#rooms.client("rated")
      const report = { id: `frame ${type}`, queue: null, results }
      client.raw(packMsgpack([type, 1, "ratings.report", report]))
      await client.leave()
    }
  }

  /** A report of its own id. @returns whether it was taken */
  async takes(results: ReadonlyArray<Placed>): Promise<boolean> {
    this.#reports += 1
    try {
      await this.#client.call("rate", { id: `report ${this.#reports}`, results })
      return true
    } catch (cause) {
      if (cause instanceof CallRefused) return false
      throw cause
    }
  }

  async ratings(...players: ReadonlyArray<string>): Promise<ReadonlyArray<Rated>> {
    const { ratings } = Object(await this.#client.call("ratings", { players }))
    holds("the ratings", Array.isArray(ratings) && ratings.length === players.length, ratings)
    return ratings
  }

  /** The ratings alone: a deviation may grow while nobody plays. */
  async numbers(...players: ReadonlyArray<string>): Promise<ReadonlyArray<number>> {
    return (await this.ratings(...players)).map(({ rating }) => rating)
  }

  async rating(player: string): Promise<Rated> {
    const [rated] = await this.ratings(player)
    if (rated === undefined) throw new Error("a rating was promised")
    return rated
  }

  /** A report that must be refused, and move nobody. */
  async refuses(what: string, results: ReadonlyArray<Placed>): Promise<void> {
    const [first] = results
    const before = await this.numbers(first?.player ?? "nobody")
    same(`${what} is taken`, await this.takes(results), false)
    same("the rating afterwards", await this.numbers(first?.player ?? "nobody"), before)
  }

  /** A report that must be taken: the first player, who is new, rises, and the last one falls. */
  async accepts(what: string, results: ReadonlyArray<Placed>): Promise<void> {
    same(`${what} is taken`, await this.takes(results), true)
    const [first, last] = [results[0], results.at(-1)]
    if (first === undefined || last === undefined) throw new Error("a report has players")
    const [up, down] = await this.ratings(first.player, last.player)
    const start = newcomerRating()
    holds(
      "the first rises, the last falls",
      (up?.rating ?? 0) > start && (down?.rating ?? start) < start,
      [up, down]
    )
  }
}

const newcomerRating = (): number => Number(rowOf("statement", "rating.start").is?.["rating"])

/** A check's run with a client in a room that reports what it says. */
export const withRatings = (run: (stage: RatingStage, trial: Trial) => Promise<void>) =>
  withRooms(async (stage, trial) => run(new RatingStage(stage, await stage.client("rated")), trial))

const routes = (project: string): ReadonlyArray<string> => [
  `/v1/projects/${project}/ratings`,
  `/v1/projects/${project}/players/winner/rating`,
  `/v1/ratings?project=${project}`,
  `/v1/rating?project=${project}`,
  `/v1/leaderboard/ratings?project=${project}`
]

/** Asks what could read or write ratings over HTTP, with a credential. A success is a mismatch. */
export const noRouteTakes = async (
  trial: Trial,
  project: string,
  bearer: string
): Promise<void> => {
  for (const path of routes(project)) {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"] as const) {
      const results = [
        { player: "winner", place: 1 },
        { player: "loser", place: 2 }
      ]
      const body = {
        project,
        id: "outside",
        queue: "default",
        results,
        player: "winner",
        rating: 3000
      }
      const sent = method === "GET" ? {} : { body }
      const { status, text } = await trial.send({ method, path, bearer, ...sent })
      holds(`${method} ${path} is refused`, status >= 400 && status < 500, `${status} ${text}`)
    }
  }
}
