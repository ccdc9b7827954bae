import { isSuccess } from "../check/Answers.ts"
import { brought, same } from "../check/Expect.ts"
import type { Queueing, Ticket } from "../codec/MatchCodec.ts"
import type { HttpAnswer } from "./HttpProbe.ts"
import { RoomStage } from "./RoomStage.ts"
import type { Trial } from "./Trial.ts"

/** The queue that the fixture's type `matched` plays. */
export const queueName = "duo"

/** Passes over a queue come at least so often. */
export const passMs = 1000

/** A project with the fixture and a queue, and players who queue. */
export class MatchStage {
  readonly rooms: RoomStage
  readonly #trial: Trial

  private constructor(trial: Trial, rooms: RoomStage) {
    this.#trial = trial
    this.rooms = rooms
  }

  /** @param queue the declaration, such as `{ size: 2 }` */
  static async of(trial: Trial, queue: object): Promise<MatchStage> {
    const project = await trial.project()
    const rooms = new RoomStage(trial, project)
    await rooms.deploy("probe")
    const body = { name: project.name, queues: { [queueName]: queue } }
    isSuccess(await project.ask("", { method: "PATCH", body }))
    return new MatchStage(trial, rooms)
  }

  get projectId(): string {
    return this.rooms.project.id
  }

  /** A player of whom nobody has heard. */
  async player(): Promise<{ readonly playerId: string; readonly token: string }> {
    const { codecs } = this.#trial
    const body = codecs.identityBody(this.projectId)
    const answer = await this.#trial.send({ method: "POST", path: "/v1/identity", body })
    return brought("a new identity", answer, codecs.identity(answer.json))
  }

  /** Asks for a ticket. @returns the answer, also a refusal */
  async asks(more: Partial<Queueing> = {}): Promise<HttpAnswer> {
    const identity = more.identity ?? (await this.player()).token
    const queueing = { project: this.projectId, queue: queueName, ...more, identity }
    return this.#trial.send(this.#trial.codecs.match.join(queueing))
  }

  /** The ticket of a player who queues. */
  async queues(more: Partial<Queueing> = {}): Promise<Ticket> {
    return this.#ticketIn(await this.asks(more))
  }

  async poll({ ticket }: Ticket): Promise<Ticket> {
    const { match } = this.#trial.codecs
    return this.#ticketIn(await this.#trial.send(match.poll(this.projectId, ticket)))
  }

  /** They stand like that now. */
  async stand(what: string, tickets: ReadonlyArray<Ticket>, status: string): Promise<void> {
    const now = await Promise.all(tickets.map((ticket) => this.poll(ticket)))
    same(
      what,
      now.map((ticket) => ticket.status),
      now.map(() => status)
    )
  }

  /** They have met: in one room. */
  async meet(what: string, tickets: ReadonlyArray<Ticket>): Promise<ReadonlyArray<Ticket>> {
    const now = await this.#trial.until(what, async () => {
      const stands = await Promise.all(tickets.map((ticket) => this.poll(ticket)))
      return stands.every(({ status }) => status !== "waiting") ? stands : null
    })
    same(`${what}: the statuses`, new Set(now.map(({ status }) => status)), new Set(["matched"]))
    same(`${what}: the rooms`, new Set(now.map(({ roomId }) => roomId)).size, 1)
    return now
  }

  /** The answer to a party of that size. */
  async party(size: number): Promise<HttpAnswer> {
    const identity = (await this.player()).token
    const wanted = { project: this.projectId, queue: queueName, identity, size }
    return this.#trial.send(this.#trial.codecs.match.party(wanted))
  }

  async code(size: number): Promise<string> {
    const answer = await this.party(size)
    isSuccess(answer)
    return brought("a party's code", answer, this.#trial.codecs.match.code(answer.json))
  }

  async depth(): Promise<number> {
    const { match } = this.#trial.codecs
    const answer = await this.#trial.send(match.status(this.projectId, queueName))
    isSuccess(answer)
    return brought("a depth", answer, match.depth(answer.json))
  }

  #ticketIn(answer: HttpAnswer): Ticket {
    isSuccess(answer)
    return brought("a ticket", answer, this.#trial.codecs.match.ticket(answer.json))
  }
}

/** A check's run with a queue. */
export const withQueue =
  (queue: object, run: (stage: MatchStage, trial: Trial) => Promise<void>) =>
  async (trial: Trial): Promise<void> =>
    run(await MatchStage.of(trial, queue), trial)
