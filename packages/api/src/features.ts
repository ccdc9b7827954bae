import { feature as accounts } from "./accounts/feature.ts"
import { feature as audience } from "./audience/feature.ts"
import { feature as audit } from "./audit/feature.ts"
import { feature as boards } from "./boards/feature.ts"
import { feature as branches } from "./branches/feature.ts"
import { feature as clock } from "./clock/feature.ts"
import { feature as webConsole } from "./console/feature.ts"
import { feature as demo } from "./demo/feature.ts"
import { feature as deployments } from "./deployments/feature.ts"
import { feature as fleet } from "./fleet/feature.ts"
import { feature as health } from "./health/feature.ts"
import { feature as identity } from "./identity/feature.ts"
import { feature as inspect } from "./inspect/feature.ts"
import { feature as keys } from "./keys/feature.ts"
import { feature as kv } from "./kv/feature.ts"
import { feature as life } from "./life/feature.ts"
import { feature as logins } from "./logins/feature.ts"
import { feature as logs } from "./logs/feature.ts"
import { feature as mail } from "./mail/feature.ts"
import { feature as match } from "./match/feature.ts"
import { feature as meters } from "./meters/feature.ts"
import { feature as metrics } from "./metrics/feature.ts"
import { feature as migrations } from "./migrations/feature.ts"
import { feature as objects } from "./objects/feature.ts"
import { feature as presence } from "./presence/feature.ts"
import { feature as projects } from "./projects/feature.ts"
import { feature as rates } from "./rates/feature.ts"
import { feature as ratings } from "./ratings/feature.ts"
import { feature as replay } from "./replay/feature.ts"
import { feature as rooms } from "./rooms/feature.ts"
import { feature as servers } from "./servers/feature.ts"
import { feature as sites } from "./sites/feature.ts"
import { feature as store } from "./store/feature.ts"
import { feature as tarballs } from "./tarballs/feature.ts"
import { feature as testPlayers } from "./testPlayers/feature.ts"
import { feature as welcome } from "./welcome/feature.ts"

/** The features of the service, in the order of the API's description. Everything else derives from it. */
export const features = [
  clock,
  servers,
  objects,
  projects,
  deployments,
  migrations,
  sites,
  meters,
  mail,
  metrics,
  fleet,
  keys,
  audit,
  logs,
  rates,
  rooms,
  inspect,
  life,
  branches,
  testPlayers,
  ratings,
  replay,
  logins,
  identity,
  accounts,
  audience,
  presence,
  kv,
  boards,
  match,
  health,
  tarballs,
  welcome,
  demo,
  webConsole,
  store
] as const
