import { isSuccess } from "../check/Answers.ts"
import { brought } from "../check/Expect.ts"
import type { BoardAnswer, BoardAsked } from "../codec/Codecs.ts"
import { type Outcome, taken } from "../families/Outcome.ts"
import type { Json } from "../sections/Row.ts"
import type { HttpAnswer } from "./HttpProbe.ts"
import type { RoomSocket } from "./RoomSocket.ts"
import { mintIdentity } from "./RoomSockets.ts"
import { type RoomStage, roomStage } from "./RoomStage.ts"
import { CallRefused } from "./SocketError.ts"
import type { Trial } from "./Trial.ts"

/** A score that the code of a room submits. */
export interface Submitted {
  readonly player: string
  readonly score: number
  /** `main` when left out. */
  readonly board?: string
  readonly bucket?: string
  readonly id?: string
}

/** A project with boards, and a client whose room submits what it says. */
export class BoardStage {
  readonly stage: RoomStage
  readonly #trial: Trial
  #client: RoomSocket | null = null

  constructor(trial: Trial, stage: RoomStage) {
    this.#trial = trial
    this.stage = stage
  }

  async declare(boards: { readonly [name: string]: Json }): Promise<void> {
    const body = { name: this.stage.project.name, boards }
    isSuccess(await this.stage.project.ask("", { method: "PATCH", body }))
  }

  /** Submits in the room `scores`; the room is made, or wakes, if nobody is in it. */
  async submit(submitted: Submitted): Promise<void> {
    if (this.#client?.isOpen() !== true) {
      // The clock may have been moved past the life of the identity before.
      const token = await mintIdentity(this.#trial, this.stage.project)
      this.#client = await this.stage.client("scores", { token })
    }
    await this.#client.call("submit", { board: "main", ...submitted })
  }

  /** The same, of a submit that may be refused. */
  async attempt(submitted: Submitted): Promise<Outcome> {
    try {
      await this.submit(submitted)
      return taken
    } catch (cause) {
      if (!(cause instanceof CallRefused)) throw cause
      return { taken: false, refused: { code: cause.code } }
    }
  }

  /** The client leaves; the room sleeps as time goes on. */
  async part(): Promise<void> {
    await this.#client?.leave()
    this.#client = null
  }

  /** The client leaves, and the room sleeps. */
  async leave(): Promise<void> {
    await this.part()
    await this.stage.asleep("scores")
  }

  /** Of the board `main` unless said, with no credential but the project's id. */
  ask(read: Partial<BoardAsked> = {}): Promise<HttpAnswer> {
    const path = this.#trial.codecs.boardPath(this.stage.project.id, { board: "main", ...read })
    return this.#trial.send({ method: "GET", path })
  }

  async read(read: Partial<BoardAsked> = {}): Promise<BoardAnswer> {
    const answer = await this.ask(read)
    isSuccess(answer)
    return brought("rows of a board", answer, this.#trial.codecs.boardRead(answer.json))
  }

  /** `rank player score`, in the order of the answer. */
  async shown(read: Partial<BoardAsked> = {}): Promise<ReadonlyArray<string>> {
    const { rows } = await this.read(read)
    return rows.map(({ rank, player, score }) => `${rank} ${player} ${score}`)
  }
}

/** A check's run on a project with these boards. */
export const withBoards =
  (
    boards: { readonly [name: string]: Json },
    run: (on: BoardStage, trial: Trial) => Promise<void>
  ) =>
  async (trial: Trial): Promise<void> => {
    const on = new BoardStage(trial, await roomStage(trial))
    await on.declare(boards)
    await run(on, trial)
  }
