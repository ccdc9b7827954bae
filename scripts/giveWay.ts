import { constants, setPriority } from "node:os"

// The suite runs beside the units, and some of its bounds are in time: the units and the programs
// that they start leave the processor to it.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
