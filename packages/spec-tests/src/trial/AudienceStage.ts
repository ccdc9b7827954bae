import { randomBytes } from "node:crypto"

import { isSuccess } from "../check/Answers.ts"
import { brought } from "../check/Expect.ts"
import type { Welcomed } from "../codec/RoomCodec.ts"
import type { HttpAnswer } from "./HttpProbe.ts"
import type { Project } from "./Project.ts"
import { board, relayStage } from "./RelayStage.ts"
import type { RoomSocket } from "./RoomSocket.ts"
import { RoomStage } from "./RoomStage.ts"
import type { Trial } from "./Trial.ts"

/** The role of viewers here. */
export const viewerRole = "viewer"

/** Tells a project what its viewers are; `null` = that it has none. */
export const setAudienceRole = async (
  trial: Trial,
  { name, ask }: Project,
  role: string | null
): Promise<void> => {
  const body = trial.codecs.audienceRoleBody({ name, role })
  const answer = await ask("", { method: "PATCH", body })
  isSuccess(answer)
}

/** A new room of the project that may be watched; a player keeps it up while the check runs. */
export const watchedRoom = async (trial: Trial, project: Project): Promise<string> => {
  const stage = new RoomStage(trial, project)
  await stage.deploy("relay")
  await setAudienceRole(trial, project, viewerRole)
  const room = `watched-${randomBytes(4).toString("hex")}`
  await stage.client(room, board)
  return room
}

/** A stage with the fixture `relay`, whose rooms may be watched. */
export class AudienceStage {
  readonly stage: RoomStage
  readonly #trial: Trial

  private constructor(trial: Trial, stage: RoomStage) {
    this.#trial = trial
    this.stage = stage
  }

  static async of(trial: Trial, role: string | null = viewerRole): Promise<AudienceStage> {
    const stage = await relayStage(trial)
    if (role !== null) await setAudienceRole(trial, stage.project, role)
    return new AudienceStage(trial, stage)
  }

  /** Asks for a credential. */
  asked(room: string): Promise<HttpAnswer> {
    const asked = { project: this.stage.project.id, room, identity: "", board: "", assertion: "" }
    return this.#trial.send(this.#trial.codecs.openCall("audience.mint", asked))
  }

  async credential(room: string): Promise<string> {
    const answer = await this.asked(room)
    return brought("an audience credential", answer, this.#trial.codecs.audience(answer.json))
  }

  /** Somebody who watches. */
  async viewer(room: string, token?: string): Promise<RoomSocket> {
    const socket = await this.stage.socket(room)
    await this.welcomed(socket, token ?? (await this.credential(room)))
    return socket
  }

  welcomed(socket: RoomSocket, token: string): Promise<Welcomed> {
    return socket.join({ token, type: null })
  }
}
