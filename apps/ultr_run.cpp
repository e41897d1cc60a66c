#include "apps/program.h"

int main(int argc, char** argv) { return ultr::run_program(argc, argv); }
