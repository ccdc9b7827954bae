import type { ProjectId } from "@atrium/domain/shared/Ids"
import { Context } from "effect"

/** What the pages for newcomers tell of this service. Nothing in it is secret. */
export class ServiceFacts extends Context.Service<
  ServiceFacts,
  {
    readonly version: string
    /** Where it listens, for a request that does not name a host. */
    readonly url: string
    /** PostgreSQL is its own, not one that `DATABASE_URL` names. */
    readonly ownDatabase: boolean
    /** The project whose games strangers may play at `/play`; `null` = none. Source: C-393. */
    readonly playground: ProjectId | null
  }
>()("@atrium/api/welcome/ServiceFacts") {}
