import Foundation
import Simulation

// Runs simulations with consecutive seeds until one fails. See scripts/simulate.
Command(CommandLine.arguments.dropFirst()).run()
