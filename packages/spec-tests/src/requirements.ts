import { writeFileSync } from "node:fs"

import { requirementsFile } from "./sections/Requirements.ts"

// npm run spec:requirements: writes requirements.json from the rows of sections/.

writeFileSync(new URL("../requirements.json", import.meta.url), requirementsFile())
