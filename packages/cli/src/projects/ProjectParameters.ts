import { durationMs } from "@atrium/wire/time/Duration"
import { Effect, Option } from "effect"
import { Argument, Flag } from "effect/cli"

import { Misused } from "../CommandFailure.ts"
import { defaultAddress } from "../keys/KeyDestination.ts"

/** The parameters of both commands that send room code. */
export const paths = Argument.String("path").pipe(
  Argument.withDescription(
    "Room files or their folders; default: the room file of the project, else its schema file"
  ),
  Argument.variadic()
)

export const config = Flag.String("config").pipe(
  Flag.withAlias("c"),
  Flag.withDescription("The project file; default: ./service.json"),
  Flag.optional
)

export const url = Flag.String("url").pipe(
  Flag.withDescription(
    `The service; default: SERVICE_CONTROL_URL, ATRIUM_URL, then ${defaultAddress}`
  ),
  Flag.optional
)

/** The parameters of every command that is about one project of a service. */
export const target = {
  config,
  project: Flag.String("project").pipe(
    Flag.withDescription("Id of the project; default: the project file's"),
    Flag.optional
  ),
  url
}

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print the result as one line of JSON"),
  Flag.withDefault(false)
)

/** How far back a command looks, in milliseconds. */
export const sinceFlag = (description: string) =>
  Flag.String("since").pipe(
    Flag.withDescription(description),
    Flag.filterMap(
      (text) => Option.fromNullishOr(durationMs(text)),
      () => "a duration such as 10m, 36h or 7d"
    ),
    Flag.optional
  )

/** The value of a flag, or `null`; refused when it is there and empty. */
export const filled = Effect.fnUntraced(function* (flag: string, value: Option.Option<string>) {
  if (Option.isSome(value) && value.value === "") {
    return yield* new Misused({ message: `${flag}: must be a non-empty string` })
  }
  return Option.getOrNull(value)
})

/** An id as a part of a route. Refused are those that would lead to another route. */
export const routeId = (what: string, id: string): Effect.Effect<string, Misused> =>
  isRouteId(id)
    ? Effect.succeed(id)
    : Effect.fail(new Misused({ message: `${what}: ${JSON.stringify(id)} is no id` }))

/** Encoded as they are all others, these alone would be resolved like folders. */
const isRouteId = (id: string): boolean => !["", ".", ".."].includes(id)

/** An id on the command line, such as of a room. */
export const idArgument = (name: string, description: string) =>
  Argument.String(name).pipe(
    Argument.withDescription(description),
    Argument.filter(isRouteId, () => 'an id, which "", . and .. are not')
  )
