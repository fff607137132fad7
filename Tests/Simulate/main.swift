import Foundation
import Simulation

// Runs simulations with consecutive seeds until one fails. See scripts/simulate.
Program(CommandLine.arguments.dropFirst()).run()
