import { Argument, Flag } from "effect/cli"

/** What both commands that send room code take. */
export const paths = Argument.String("path").pipe(
  Argument.withDescription("Room files or their folders; default: the room file of the project"),
  Argument.variadic()
)

export const config = Flag.String("config").pipe(
  Flag.withAlias("c"),
  Flag.withDescription("The project file; default: ./service.json"),
  Flag.optional
)

export const url = Flag.String("url").pipe(
  Flag.withDescription("The service; default: ATRIUM_URL, then http://127.0.0.1:8787"),
  Flag.optional
)
