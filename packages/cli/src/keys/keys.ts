import { randomBytes } from "node:crypto"

import { IdentityLimits } from "@atrium/domain/identity/IdentityLimits"
import { isProjectId, isRoomId, isSecret } from "@atrium/domain/shared/Ids"
import { isoOf } from "@atrium/domain/shared/IsoText"
import { FrameLimits } from "@atrium/wire/frames/FrameLimits"
import { durationMs } from "@atrium/wire/time/Duration"
import { Clock, Config, Console, Effect, Option, Redacted, Stdio, Stream } from "effect"
import { Command, Flag } from "effect/cli"

import { hinted, Misused } from "../CommandFailure.ts"
import { commandProject, openOwn } from "../projects/CommandProject.ts"
import { json, target } from "../projects/ProjectParameters.ts"
import { joinToken } from "../rooms/JoinToken.ts"
import { confirmed, yes } from "../terminal/Confirmation.ts"

/** With what its subcommands take, before or after their names. */
const group = Command.make("keys").pipe(Command.withSharedFlags(target))

const jwtSecret = Command.make(
  "jwt-secret",
  {
    rotate: Flag.Boolean("rotate").pipe(
      Flag.withDescription("Make another one; the one before it goes on to be valid for 24 hours"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    ),
    delete: Flag.Boolean("delete").pipe(
      Flag.withDescription("End every secret of the project: anonymous players join again"),
      Flag.withoutNegation,
      Flag.withDefault(false)
    ),
    yes,
    json
  },
  Effect.fn("atrium.keys.jwt-secret")(function* (input) {
    if (input.rotate && input.delete) {
      return yield* new Misused({ message: "--rotate and --delete exclude each other" })
    }
    const opened = yield* openOwn(yield* group)
    yield* input.delete ? deleteSecrets(opened, input) : makeSecret(opened, input)
  })
).pipe(
  Command.withDescription(
    "Make the project's JWT secret, which alone goes to standard output; or go back, with --delete"
  ),
  Command.withExamples([
    { command: "atrium keys jwt-secret --yes > secret.txt" },
    { command: "atrium keys jwt-secret --delete", description: "Let anonymous players join again" },
    {
      command: "atrium keys jwt-secret --yes --json",
      description: "{project, kid, secret}; with --delete {project, deleted}"
    }
  ])
)

type Opened = Effect.Success<ReturnType<typeof openOwn>>

interface SecretInput {
  readonly rotate: boolean
  readonly yes: boolean
  readonly json: boolean
}

const makeSecret = Effect.fnUntraced(function* (
  { ask, projects, project }: Opened,
  { rotate, yes, json: asJson }: SecretInput
) {
  const consequence = `with a JWT secret, anonymous players join no room of ${project.id} any more: your backend signs who may`
  // A rotation asks, too: in a project without a secret it makes the first one.
  yield* confirmed(consequence, yes)
  const payload = rotate ? { rotate } : {}
  const call = projects.mintJwtSecret({ params: { id: project.id }, query: {}, payload })
  const hint = "it was shown when it was made; --rotate makes another one"
  const made = yield* ask(call).pipe(hinted("E_SECRET_EXISTS", hint))
  yield* Console.error(
    `JWT secret ${made.kid} of ${project.id}, shown this once: your backend signs with it who may join\n` +
      (rotate
        ? "the one before it goes on to be valid for 24 hours"
        : "from now on the service's anonymous identities cannot join; --delete undoes this")
  )
  const { kid, secret } = made
  yield* Console.log(asJson ? JSON.stringify({ project: project.id, kid, secret }) : secret)
})

const deleteSecrets = Effect.fnUntraced(function* (
  { ask, projects, project }: Opened,
  { yes: given, json: asJson }: SecretInput
) {
  const consequence = `without a JWT secret, anybody joins the rooms of ${project.id}, and what your backend has signed joins none`
  yield* confirmed(consequence, given)
  const call = projects.deleteJwtSecret({ params: { id: project.id }, query: {} })
  const { deleted } = yield* ask(call)
  if (asJson) return yield* Console.log(JSON.stringify({ project: project.id, deleted }))
  yield* Console.log(
    deleted.length === 0
      ? `${project.id} has no JWT secret: anonymous players join its rooms`
      : `deleted JWT secret ${deleted.join(", ")} of ${project.id}: anonymous players join its rooms again`
  )
})

const lifeMax = IdentityLimits.joinTokenLife.ms
const isLife = (text: string): boolean => (durationMs(text) ?? Infinity) <= lifeMax
const isPlayer = (text: string): boolean =>
  text !== "" && Buffer.byteLength(text) <= FrameLimits.playerIdBytes.max

const jwtMint = Command.make(
  "jwt-mint",
  {
    player: Flag.String("player").pipe(
      Flag.withDescription("Id of the player"),
      Flag.filter(isPlayer, () => `1 to ${FrameLimits.playerIdBytes.max} bytes`)
    ),
    room: Flag.String("room").pipe(
      Flag.withDescription("The one room that it opens; default: *, every room of the project"),
      Flag.filter(
        (text) => text === "*" || isRoomId(text),
        () => "* or the id of a room"
      ),
      Flag.withDefault("*")
    ),
    ttl: Flag.String("ttl").pipe(
      Flag.withDescription("How long it is valid, at most 24h"),
      Flag.filter(isLife, () => "a duration such as 30m or 12h, from 1m to 24h"),
      Flag.withDefault("1h")
    ),
    name: Flag.String("name").pipe(
      Flag.withDescription("Name of the player, for the room's code"),
      Flag.optional
    ),
    json
  },
  Effect.fn("atrium.keys.jwt-mint")(function* ({ player, room, ttl, name, json: asJson }) {
    const project = yield* commandProject(yield* group)
    if (!isProjectId(project.id)) {
      const message = `project: ${project.id}, which is from ${project.from}, is no id of a project`
      return yield* new Misused({ message })
    }
    const secret = yield* signingSecret
    const iat = Math.floor((yield* Clock.currentTimeMillis) / 1000)
    const claims = {
      iss: project.id,
      sub: player,
      room,
      iat,
      exp: iat + (durationMs(ttl) ?? 0) / 1000,
      jti: randomBytes(16).toString("base64url"),
      ...(Option.isSome(name) ? { name: name.value } : {})
    }
    const where = room === "*" ? `every room of ${project.id}` : `${room} of ${project.id}`
    yield* Console.error(`lets player ${player} into ${where} for ${ttl}`)
    const token = joinToken(claims, Redacted.value(secret))
    const expiresAt = isoOf(claims.exp * 1000)
    const result = { project: project.id, player, room, expiresAt, token }
    yield* Console.log(asJson ? JSON.stringify(result) : token)
  })
).pipe(
  Command.withDescription("Sign a join credential, on this machine alone"),
  Command.withExamples([
    { command: "SERVICE_JWT_SECRET=js_… atrium keys jwt-mint --player ada --room arena-1" },
    { command: "pass show game/jwt | atrium keys jwt-mint --player ada --ttl 12h" },
    {
      command: "atrium keys jwt-mint --player ada --json",
      description: "{project, player, room, expiresAt, token}"
    }
  ])
)

/** `atrium keys`: how players prove who they are. Spec: Command-line equivalents; D-25. */
export const keys = group.pipe(Command.withSubcommands([jwtSecret, jwtMint]))

const variable = "SERVICE_JWT_SECRET"
const secretBytesMax = 1024

/** The secret of the environment, else of standard input: nobody reads it on the way, as on a command line. */
const signingSecret = Effect.gen(function* () {
  const given = Option.filter(
    yield* Effect.orDie(Config.option(Config.Redacted(variable))),
    (secret) => Redacted.value(secret) !== ""
  )
  const secret = Option.isSome(given) ? given.value : Redacted.make(yield* fromInput)
  if (isSecret("joinSecret", Redacted.value(secret))) return secret
  const from = Option.isSome(given) ? variable : `${variable} is not set, and standard input`
  return yield* new Misused({
    message: `${from} is no JWT secret: that is js_ and 43 characters of A-Z a-z 0-9 _ -`
  })
})

const fromInput = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  if (yield* stdio.stdinIsTerminal) {
    return yield* new Misused({
      message: `${variable} is not set: export the secret (js_…) of \`atrium keys jwt-secret\`, or pipe it in`
    })
  }
  const text = Stream.decodeText(stdio.stdin)
  const parts = text.pipe(Stream.takeUntil(lengthPast(secretBytesMax)), Stream.mkString)
  return (yield* Effect.orDie(parts)).trim()
})

/** Enough of a text to know that it is too long. */
const lengthPast = (max: number) => {
  let length = 0
  return (part: string): boolean => (length += part.length) > max
}
