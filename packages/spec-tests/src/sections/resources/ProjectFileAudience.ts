import { isSuccess, isRefused, isRefusal } from "../../check/Answers.ts"
import { same, holds } from "../../check/Expect.ts"
import { AudienceStage, setAudienceRole, viewerRole } from "../../trial/AudienceStage.ts"
import type { HttpAnswer } from "../../trial/HttpProbe.ts"
import type { Project } from "../../trial/Project.ts"
import { board, stateBytesOf, settled } from "../../trial/RelayStage.ts"
import { mintIdentity } from "../../trial/RoomSockets.ts"
import type { Trial } from "../../trial/Trial.ts"
import { secretOf } from "../authentication/JoinSecret.ts"
import { keptOut } from "../authentication/KeptOut.ts"
import {
  breaksWithoutFlags,
  closesOlderRooms,
  discardsAtWake,
  losesSaves,
  takesStrategyMigrate
} from "../BreakingDeploys.ts"
import { projectFileHeading } from "../Headings.ts"
import { codeOf } from "../limits/RelayWrites.ts"
import { badRequest } from "../Literals.ts"
import type { Json } from "../Row.ts"
import { audienceRow, fileAudienceRow, migrationRow } from "../RowKinds.ts"
import { section, tierB, rowOf } from "../Section.ts"
import { atMost, hourMs } from "../Units.ts"
import { badIsRefused, runnerOf, done, refused } from "./FileCommands.ts"
import { deploys } from "./ProjectFileLiterals.ts"

/** Lines 145 to 147 of the specification: Project file `service.json`, the audience role and pre-releases. */
export const projectFileAudienceSection = section(projectFileHeading, {
  "audienceRole.length": fileAudienceRow(145, "1 to 32 characters", {
    decisions: ["T-108"],
    boundary: { ...atMost(32, "chars"), least: 1, outcome: badRequest },
    check: {
      title: "a role is null or a text of 1 to 32 characters; any other is refused by name",
      timeoutMs: 240_000,
      run: async (trial) => {
        const { takes, refuses } = await deploysTo(trial, await trial.project())
        const { accept, refuse, least = 0 } = rowOf("boundary", "audienceRole.length")
        await takes("x".repeat(accept))
        const bad = ["x".repeat(refuse), "x".repeat(least - 1), 5, ["viewer"]]
        for (const role of someOf(trial, bad, 3)) await refuses(role)
        await bySettings(trial, [...bad, "", "é".repeat(accept + 1), true, [], {}])
        await takes("x".repeat(least))
      }
    }
  }),
  "audienceRole.charset": fileAudienceRow(145, "letters, digits, _ - . :", {
    decisions: ["T-108"],
    text: {
      pattern: "^[A-Za-z0-9_.:-]*$",
      good: ["viewer", "A-b_c.d:9"],
      bad: ["a b", "a/b", "a@b", "ä", "a\n", "a,b"],
      outcome: badRequest
    },
    check: {
      title: "a role is of letters, digits, _ - . and :, and any other character is refused",
      timeoutMs: 240_000,
      run: async (trial) => {
        const { takes, refuses } = await deploysTo(trial, await trial.project())
        const { good, bad } = rowOf("text", "audienceRole.charset")
        for (const role of someOf(trial, good.toReversed(), 1)) await takes(role)
        for (const role of someOf(trial, bad, 2)) await refuses(role)
        await bySettings(trial, bad)
      }
    }
  }),
  "audienceRole.enables-viewers": tierB(145, "it enables viewers in relay rooms", {
    probe: ["http", "ws"],
    features: ["audience", "relay"],
    decisions: ["D-29"],
    check: {
      title:
        "a project that has a role for them lets viewers watch its relay rooms, and no other does",
      timeoutMs: 60_000,
      run: async (trial) => {
        const audience = await AudienceStage.of(trial, null)
        const { stage } = audience
        await stage.client("seen", board)
        isDisabled(trial, await audience.asked("seen"))
        await setAudienceRole(trial, stage.project, viewerRole)
        const minted = await audience.asked("seen")
        isSuccess(minted)
        trial.chosen("D-01", () =>
          same("the status", minted.status, rowOf("route", "route.audience.mint").success)
        )
        await watches(trial, audience, "seen")
        const unknown = await audience.asked("nobody-was-here")
        trial.chosen("D-29", () => same("an unknown room", unknown.status, 404))
        const rooms = await stage.roomIds()
        same("rooms that were made by asking", rooms, ["seen"])
        const token = trial.codecs.audience(minted.json) ?? ""
        await setAudienceRole(trial, stage.project, null)
        isDisabled(trial, await audience.asked("seen"))
        await keptOut(trial, audience, { room: "seen", token, what: "a role that is off" })
      }
    }
  }),
  "audienceRole.null-disables": fileAudienceRow(145, "null disables the audience", {
    is: { off: null },
    provedBy: "audienceRole.synced"
  }),
  "audienceRole.synced": fileAudienceRow(145, "every deploy synchronises it; omitted keeps", {
    provedBy: "file.reads.deploy-static",
    check: {
      title: "every deploy makes the project's role what the file says, null takes it away",
      timeoutMs: 240_000,
      run: async (trial) => {
        const project = await trial.project()
        const { takes } = await deploysTo(trial, project)
        await takes(undefined, null)
        await takes("viewer")
        await takes(undefined, "viewer")
        await setAudienceRole(trial, project, "other")
        await takes("viewer")
        const { off = null } = rowOf("statement", "audienceRole.null-disables").is ?? {}
        await takes(off === null ? null : String(off))
        const asked = { project: project.id, room: "any", identity: "", board: "", assertion: "" }
        isRefused(await trial.send(trial.codecs.openCall("audience.mint", asked)))
      }
    }
  }),
  "audience.needs-room-scoped-credential": audienceRow(
    145,
    "an audience join needs a room-scoped credential",
    {
      alsoLines: [303],
      check: {
        title: "only a credential for that very room makes a viewer; one for any room makes none",
        timeoutMs: 60_000,
        run: async (trial) => {
          const audience = await AudienceStage.of(trial)
          const { stage } = audience
          const player = await stage.client("seen", board)
          await stage.client("other", board)
          const identity = await mintIdentity(trial, stage.project)
          const socket = await audience.stage.socket("seen")
          const plays = await socket.join({ token: identity, type: null })
          same("whether an identity watches", plays.audience, false)
          const secret = await secretOf(trial, stage)
          const nowMs = await trial.control.nowMs()
          const signed = (claims: { readonly role?: string; readonly room?: string }): string =>
            trial.codecs.room.credential(secret, {
              project: stage.project.id,
              player: "eve",
              ...claims,
              issuedAtMs: nowMs,
              expiresAtMs: nowMs + hourMs
            })
          const refused = [
            ["any room", { role: viewerRole }],
            ["every room", { role: viewerRole, room: "*" }],
            ["another room", { role: viewerRole, room: "other" }],
            ["a role that nobody has", { role: "ghost", room: "seen" }]
          ] as const
          for (const [what, claims] of refused) {
            await keptOut(trial, audience, { room: "seen", token: signed(claims), what })
          }
          const viewer = await audience.viewer("seen", signed({ role: viewerRole, room: "seen" }))
          trial.chosen("D-25", () => same("one for it", viewer.welcomes()[0]?.audience, true))
          holds("the player stays", player.isOpen(), "closed")
        }
      }
    }
  ),
  "file.validate.audienceRole": fileAudienceRow(
    145,
    "bad audienceRole is refused by name (the validation table is silent)",
    {
      level: "decided",
      decisions: ["D-42", "T-108"],
      file: {
        key: "audienceRole",
        bad: ["", 5, true, [], {}, "a b", "ä", "x".repeat(33)],
        good: [null, "viewer", "a-b_c.d:e", "x".repeat(32)],
        commands: deploys,
        verdict: "refuse",
        names: ["audienceRole"]
      },
      check: badIsRefused(3)
    }
  ),
  "preRelease.synced": migrationRow(147, "synced on every deploy when declared; false turns off", {
    provedBy: ["file.preRelease.omitted", "preRelease.breaking-without-flags"]
  }),
  "preRelease.breaking-without-flags": migrationRow(
    147,
    "when on, a breaking schema deploys without --allow-breaking and without a migration file",
    { alsoLines: [548], check: breaksWithoutFlags }
  ),
  "preRelease.default-strategy-migrate": migrationRow(147, "it defaults to --strategy migrate", {
    is: { flag: "--strategy migrate" },
    provedBy: "preRelease.closes-older-rooms",
    check: takesStrategyMigrate
  }),
  "preRelease.closes-older-rooms": tierB(
    147,
    "rooms on an older version are closed; clients reconnect to a fresh room on the new one",
    { probe: ["ws"], features: ["migrations"], check: closesOlderRooms }
  ),
  "preRelease.hibernated-discarded-at-wake": tierB(
    147,
    "a hibernated snapshot is discarded at wake",
    { probe: ["ws"], features: ["migrations"], check: discardsAtWake }
  ),
  "preRelease.saves-lost": tierB(147, "saves of restarted rooms are lost", {
    features: ["migrations"],
    check: losesSaves
  })
})

const isDisabled = (trial: Trial, answer: HttpAnswer): void => {
  holds("the mint is refused", answer.status >= 400 && answer.status < 500, answer.status)
  trial.chosen("D-29", () => {
    const got = [answer.status, trial.codecs.error(answer)?.code]
    same("status and code", got, [403, "E_AUDIENCE_DISABLED"])
  })
}

/** A viewer joins a room with a player: it sees the room's state and is refused a player's calls. */
const watches = async (trial: Trial, audience: AudienceStage, room: string): Promise<void> => {
  const { stage } = audience
  const player = await stage.client(room, board)
  const mark = { op: "add", collection: "marks", fields: { n: 1 } } as const
  const [key = 0] = await player.relay.write(mark)
  const viewer = await audience.viewer(room)
  const [welcome] = viewer.welcomes()
  trial.chosen("D-24", () => same("the welcome says that it watches", welcome?.audience, true))
  same("the state that it sees", welcome?.stateBytes, await stateBytesOf(stage, room))
  player.relay.send(null, "to all")
  await settled(player, viewer)
  const heard = viewer.relay.sent().map(({ data }) => data)
  same("what it hears", heard, ["to all"])
  const before = await stateBytesOf(stage, room)
  const refusal = await codeOf(viewer.relay.write(mark))
  trial.chosen("D-29", () => same("what it writes", refusal, "E_WRITE_REJECTED"))
  const owned = await viewer.relay.own("marks", key)
  trial.chosen("D-29", () => same("whether it is given a record", owned, false))
  same("whether anybody was asked for it", player.relay.asks(), [])
  same("the state after it", await stateBytesOf(stage, room), before)
  holds("it stays, and the player", viewer.isOpen() && player.isOpen(), "closed")
}

/** Deploys a project whose file declares a role; `undefined` = it declares none. */
const deploysTo = async (trial: Trial, project: Project) => {
  const run = await runnerOf(trial, project)
  const deploy = (role: Json | undefined) =>
    run("deploy", {
      project: project.id,
      ...(role === undefined ? {} : { audienceRole: role })
    })
  const stored = async (): Promise<unknown> => {
    const record = await project.ask("")
    isSuccess(record)
    return trial.codecs.audienceRole(record.json)
  }
  return {
    stored,
    takes: async (role: Json | undefined, then: unknown = role): Promise<void> => {
      const what = `deploy with audienceRole ${JSON.stringify(role)}`
      done(what, await deploy(role))
      same(`the project's role after ${what}`, await stored(), then)
    },
    refuses: async (role: Json): Promise<void> => {
      const before = await stored()
      const what = `deploy with audienceRole ${JSON.stringify(role)}`
      refused(what, await deploy(role), ["audienceRole"])
      same(`the project's role after ${what}`, await stored(), before)
    }
  }
}

/** The settings route refuses each of them by name, and sets none. */
const bySettings = async (trial: Trial, bad: ReadonlyArray<Json>): Promise<void> => {
  const project = await trial.project()
  await setAudienceRole(trial, project, "viewer")
  for (const role of bad) {
    const body: object = Object(trial.codecs.audienceRoleBody({ name: project.name, role: "" }))
    const [field = ""] = Object.keys(body).filter((name) => name !== "name")
    const answer = await project.ask("", { method: "PATCH", body: { ...body, [field]: role } })
    isRefused(answer)
    const refusal = { ...rowOf("error", "error.http.E_BAD_REQUEST"), naming: field }
    trial.chosen("T-108", () => isRefusal(trial, answer, refusal))
  }
  const record = await project.ask("")
  same("the role after refusals", trial.codecs.audienceRole(record.json), "viewer")
}

/** Each deploy takes its time: all of the values are for a run that has it. */
const someOf = <A>(trial: Trial, values: ReadonlyArray<A>, count: number): ReadonlyArray<A> =>
  trial.modelRuns === null ? values.slice(0, count) : values
